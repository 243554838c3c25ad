//! Reads text without HTML blocks: Markdown, or typed lines.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd, html};
use regex::Captures;

use super::source::replace_some;
use crate::{Budget, Result, document::DIALECT, pattern::patterns};

const WRAP_WIDTH: usize = 60;

const BULLET: &str = "[•·▪▫●○◦‣■□➢➤✓✔►▶–]";

patterns! {
    SIGNS = crate::pattern::one_of(include_str!("tables/signs.txt"));
    /// A list in a list by other signs than those of Markdown.
    NESTED = r"(?m)^(?:[-*+]|BULLET) .*\n+(?: {2,}|\t)(?:[-*+]|BULLET) \S".replace("BULLET", BULLET);
    BULLETS = format!("(?m)^([ \t]*){BULLET} ");
    AUTOLINK = r"&lt;((?i:https?://|mailto:)[^\s<>]+?)(?:>|&gt;)";
}

/// Whether a text has signs of Markdown. Leading dashes are no sign: typed text uses them likewise.
pub(crate) fn is_markdown(text: &str) -> bool {
    SIGNS.is_match(text) || NESTED.is_match(text)
}

/// Converts Markdown to HTML. Keeps line ends, unless a program wrapped the text.
pub(crate) fn markdown_to_html(text: &str, budget: &Budget) -> Result<String> {
    budget.spend(text.len().saturating_mul(3))?;
    let text = if NESTED.is_match(text) && !text.contains("```") {
        BULLETS.replace_all(text, "$1- ")
    } else {
        Cow::Borrowed(text)
    };
    let text = with_escaped_signs(&text);
    let text = with_autolinks(&text, |address| format!("<{address}>"));
    let text = limit_nesting(&text);
    let (mut indented, mut fenced) = (false, false);
    let mut length = 0;
    budget.spend(text.len())?;
    let mut events: Vec<Event<'_>> = Vec::new();
    for event in Parser::new_ext(&text, DIALECT) {
        // Some events are read twice, and each has a tag.
        budget.spend(8)?;
        events.push(event);
    }
    let mut out: Vec<Event<'_>> = Vec::with_capacity(events.len());
    for (index, event) in events.iter().enumerate() {
        let event = event.clone();
        match &event {
            Event::SoftBreak => {
                let goes_on = matches!(events.get(index + 1),
                    Some(Event::Text(next)) if next.starts_with(char::is_lowercase));
                let is_wrapped = length >= WRAP_WIDTH && goes_on;
                length = 0;
                out.push(if is_wrapped { event } else { Event::HardBreak });
                continue;
            }
            Event::HardBreak | Event::Start(_) => length = 0,
            Event::Text(text) => length += text.chars().count(),
            _ => {}
        }
        match event {
            // Four leading spaces are never meant as code.
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                indented = true;
                out.push(Event::Html("<p>".into()));
            }
            Event::End(TagEnd::CodeBlock) if indented => {
                indented = false;
                out.push(Event::Html("</p>".into()));
            }
            Event::Text(text) if indented => {
                for line in text.lines() {
                    out.push(Event::Text(line.trim().to_owned().into()));
                    out.push(Event::HardBreak);
                }
            }
            // Code has no escapes: `source` has turned a `<` that starts no tag into `&lt;`.
            Event::Code(text) if text.contains("&lt;") => {
                out.push(Event::Code(text.replace("&lt;", "<").into()));
            }
            Event::Text(text) if fenced && text.contains("&lt;") => {
                out.push(Event::Text(text.replace("&lt;", "<").into()));
            }
            event => {
                match event {
                    Event::Start(Tag::CodeBlock(_)) => fenced = true,
                    Event::End(TagEnd::CodeBlock) => fenced = false,
                    Event::End(TagEnd::TableRow) => drop_empty_cells(&mut out),
                    _ => {}
                }
                out.push(event);
            }
        }
    }
    let mut result = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut result, out.into_iter());
    Ok(result)
}

/// Drops a row's last empty cells. The parser adds them, so a short table could become long.
fn drop_empty_cells(out: &mut Vec<Event<'_>>) {
    while let [
        ..,
        Event::Start(Tag::TableCell),
        Event::End(TagEnd::TableCell),
    ] = out.as_slice()
    {
        out.truncate(out.len() - 2);
    }
}

/// Converts typed lines to HTML. Empty lines separate paragraphs; other lines end in line breaks.
pub(crate) fn lines_to_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 5 / 4);
    let text = with_links(text);
    let mut open = false;
    for line in text.lines().map(str::trim) {
        if line.is_empty() {
            if open {
                out.push_str("</p>");
            }
            open = false;
            continue;
        }
        out.push_str(if open { "<br>" } else { "<p>" });
        out.push_str(line);
        open = true;
    }
    out
}

/// Turns addresses in angle brackets into links.
pub(crate) fn with_links(text: &str) -> Cow<'_, str> {
    with_autolinks(text, |address| {
        let quoted = address.replace('"', "%22");
        format!("<a href=\"{quoted}\">{address}</a>")
    })
}

/// Turns `&lt;` after a backslash into `<`. Otherwise the backslash would escape only the `&`.
fn with_escaped_signs(text: &str) -> Cow<'_, str> {
    replace_some(Cow::Borrowed(text), "&lt;", |text, at| {
        let before = &text[..at];
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        (backslashes % 2 == 1).then_some("<")
    })
}

/// Rewrites addresses in angle brackets ("Autolinks"), whose `<` is `&lt;` by now.
fn with_autolinks(text: &str, write: impl Fn(&str) -> String) -> Cow<'_, str> {
    if !text.contains("&lt;") {
        return Cow::Borrowed(text);
    }
    AUTOLINK.replace_all(text, |found: &Captures<'_>| write(&found[1]))
}

fn limit_nesting(text: &str) -> String {
    const MARKERS: usize = 12;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
        let prefix = &line[..line.len() - body.len()];
        let markers = prefix
            .bytes()
            .filter(|b| !matches!(b, b' ' | b'\t'))
            .count();
        let is_rule = matches!(body.trim(), "" | "\\") && !prefix.trim().contains([' ', '\t', '>']);
        if !is_rule && (markers > MARKERS || prefix.len() > 64) {
            let cut: usize = prefix
                .bytes()
                .take(64)
                .scan(0, |seen, b| {
                    *seen += usize::from(!matches!(b, b' ' | b'\t'));
                    (*seen <= MARKERS).then_some(())
                })
                .count();
            out.push_str(&prefix[..cut]);
            out.push_str(body);
        } else if body.starts_with("~~~") && body.trim().trim_start_matches('~').ends_with('~') {
            // A title between tildes begins no code.
            out.push_str(&line.replace('~', "\\~"));
        } else {
            out.push_str(line);
        }
    }
    out
}
