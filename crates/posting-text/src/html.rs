//! Converts Markdown to HTML for pages and search engines, with only a few plain elements.

use std::fmt::Write as _;

use pulldown_cmark::{CowStr, Event, Parser, Tag, TagEnd};

use crate::{document::DIALECT, markdown::is_safe_link};

/// How links are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Keeps links to `http`, `https` and `mailto`, with `nofollow`.
    Kept,
    /// Replaces links by their words.
    Dropped,
}

/// Converts `CommonMark`, with tables and struck out text, to HTML that is safe on any page.
///
/// It has the elements `p`, `br`, `ul`, `ol`, `li`, `strong`, `em`, `del` and `h1` to `h6`, and `a`
/// if links are kept, as [Google's `JobPosting`][google] accepts them. Raw HTML becomes text, an
/// image its alternative text, and each row of a table a list item.
///
/// ```
/// use posting_text::html::{Links, from_markdown};
///
/// let html = from_markdown("Bake **bread**.\n\n- Nights <b>off</b>", Links::Dropped);
/// let expect = "<p>Bake <strong>bread</strong>.</p>\
///               <ul><li>Nights &lt;b&gt;off&lt;/b&gt;</li></ul>";
/// assert_eq!(html, expect);
/// ```
///
/// [google]: https://developers.google.com/search/docs/appearance/structured-data/job-posting
pub fn from_markdown(markdown: &str, links: Links) -> String {
    let mut writer = Writer {
        out: String::with_capacity(markdown.len() + markdown.len() / 4),
        links,
        open_links: Vec::new(),
        in_first_cell: false,
        in_code: false,
    };
    for event in Parser::new_ext(markdown, DIALECT) {
        writer.write(&event);
    }
    writer.out
}

struct Writer {
    out: String,
    links: Links,
    open_links: Vec<bool>,
    in_first_cell: bool,
    in_code: bool,
}

impl Writer {
    fn write(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(*tag),
            Event::Text(text) if self.in_code => {
                let text = text.trim_end_matches('\n');
                for (index, line) in text.split('\n').enumerate() {
                    if index > 0 {
                        self.tag("<br>");
                    }
                    self.text(line);
                }
            }
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.tag("<br>"),
            Event::Text(text)
            | Event::Code(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            // The dialect has none of these.
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(text),
            Event::Rule | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Link { dest_url, .. } => self.start_link(dest_url),
            Tag::List(Some(start)) if *start != 1 => {
                let _ = write!(self.out, "<ol start=\"{start}\">");
            }
            Tag::CodeBlock(_) => {
                self.in_code = true;
                self.tag("<p>");
            }
            Tag::TableHead => {
                self.in_first_cell = true;
                self.tag("<li><strong>");
            }
            Tag::TableRow => {
                self.in_first_cell = true;
                self.tag("<li>");
            }
            Tag::TableCell => {
                if !self.in_first_cell {
                    self.text(" | ");
                }
                self.in_first_cell = false;
            }
            _ => self.element(tag.to_end(), "<"),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link => {
                if self.open_links.pop() == Some(true) {
                    self.tag("</a>");
                }
            }
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.tag("</p>");
            }
            TagEnd::TableHead => self.tag("</strong></li>"),
            TagEnd::TableRow => self.tag("</li>"),
            _ => self.element(tag, "</"),
        }
    }

    fn element(&mut self, tag: TagEnd, opening: &str) {
        let name = match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => "p",
            TagEnd::Heading(level) => {
                let _ = write!(self.out, "{opening}{level}>");
                return;
            }
            TagEnd::List(true) => "ol",
            TagEnd::List(false) | TagEnd::Table => "ul",
            TagEnd::Item => "li",
            TagEnd::Emphasis => "em",
            TagEnd::Strong => "strong",
            TagEnd::Strikethrough => "del",
            _ => return,
        };
        let _ = write!(self.out, "{opening}{name}>");
    }

    fn start_link(&mut self, destination: &CowStr<'_>) {
        let is_kept = self.links == Links::Kept && is_safe_link(destination);
        self.open_links.push(is_kept);
        if is_kept {
            self.tag("<a href=\"");
            self.text(destination);
            self.tag("\" rel=\"nofollow noopener noreferrer\">");
        }
    }

    fn tag(&mut self, tag: &str) {
        self.out.push_str(tag);
    }

    fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                c => self.out.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use html5gum::{Token, Tokenizer};
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Budget, markdown,
        testing::{cases, one_of},
    };

    #[test]
    fn every_element_is_a_plain_one() {
        for case in cases(include_str!("html.txt")) {
            let (markdown, expect) = case.split_once(" => ").unwrap();
            let found = from_markdown(markdown, Links::Dropped);
            assert_eq!(found, expect, "{markdown}");
        }
    }

    #[test]
    fn links_are_safe_or_words() {
        let rel = "rel=\"nofollow noopener noreferrer\"";
        for (markdown, kept, dropped) in [
            (
                "[a *b*](https://e.org/?c=1&d=\"e\")",
                format!(
                    "<a href=\"https://e.org/?c=1&amp;d=&quot;e&quot;\" {rel}>a <em>b</em></a>"
                ),
                "a <em>b</em>",
            ),
            (
                "<mailto:a@e.org>",
                format!("<a href=\"mailto:a@e.org\" {rel}>mailto:a@e.org</a>"),
                "mailto:a@e.org",
            ),
            ("[a](javascript:alert(1))", "a".to_owned(), "a"),
            ("[a](/b)", "a".to_owned(), "a"),
            (
                "[![a](/b)](https://e.org)",
                format!("<a href=\"https://e.org\" {rel}>a</a>"),
                "a",
            ),
        ] {
            let expect = [kept.as_str(), dropped].map(|text| format!("<p>{text}</p>"));
            let found = [Links::Kept, Links::Dropped].map(|links| from_markdown(markdown, links));
            assert_eq!(found, expect, "{markdown}");
        }
    }

    /// Fails unless the HTML has only plain elements and closes them all.
    fn words(html: &str) -> String {
        const PLAIN: [&str; 14] = [
            "p", "ul", "ol", "li", "strong", "em", "del", "h1", "h2", "h3", "h4", "h5", "h6", "a",
        ];
        let (mut words, mut open) = (String::new(), Vec::new());
        for token in Tokenizer::new(html) {
            match token.unwrap() {
                Token::StartTag(tag) => {
                    let name = String::from_utf8(tag.name.0).unwrap();
                    let attributes: Vec<_> = tag.attributes.into_keys().map(|key| key.0).collect();
                    match name.as_str() {
                        "br" => assert!(attributes.is_empty()),
                        "a" => assert_eq!(attributes, [&b"href"[..], b"rel"]),
                        "ol" => assert!(attributes.iter().all(|name| name == b"start")),
                        _ => assert!(attributes.is_empty(), "{html}"),
                    }
                    if name != "br" {
                        assert!(PLAIN.contains(&name.as_str()), "{name} in {html}");
                        open.push(name);
                    }
                }
                Token::EndTag(tag) => {
                    let name = String::from_utf8(tag.name.0).unwrap();
                    assert_eq!(open.pop(), Some(name), "{html}");
                }
                Token::String(text) => words.push_str(str::from_utf8(&text).unwrap()),
                other => panic!("{other:?} in {html}"),
            }
        }
        assert!(open.is_empty(), "{open:?} are open in {html}");
        words.retain(|c| !c.is_whitespace() && c != '|');
        words
    }

    proptest! {
        #[test]
        fn any_text_is_plain_html(
            pieces in prop::collection::vec(
                prop_oneof![
                    one_of("<p>|</b>|<a href=x>|<!--|-->|<script>|&lt;|&|\"|'|[a](https://e.org)|![b](c)"),
                    one_of("**|*|~~|`|```\n|# |- |1. |> |\n|\n\n|---\n|<https://e.org>|\\|[x]: https://e.org\n"),
                    "[ -~]{0,8}",
                ],
                0..40,
            )
        ) {
            let text = pieces.concat();
            let dropped = words(&from_markdown(&text, Links::Dropped));
            prop_assert_eq!(words(&from_markdown(&text, Links::Kept)), dropped);
            // Every word of a description is there.
            let markdown = markdown::from_description(&text, &Budget::unlimited()).unwrap();
            let raw: String = Parser::new_ext(&markdown, DIALECT)
                .filter_map(|event| match event {
                    Event::Text(text) | Event::Code(text) => Some(text.into_string()),
                    _ => None,
                })
                .collect();
            let mut expect = raw;
            expect.retain(|c| !c.is_whitespace() && c != '|');
            prop_assert_eq!(words(&from_markdown(&markdown, Links::Dropped)), expect);
        }
    }
}
