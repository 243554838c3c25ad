use std::borrow::Cow;

use url::Url;

use super::{html, plain, signs, source, tidy, writer};
use crate::{Budget, Exceeded, Result, document::Document};

struct Source<'a> {
    html: Cow<'a, str>,
    bare_lines: bool,
    signs_are_text: bool,
}

impl Source<'_> {
    fn of_markdown(text: &str, budget: &Budget) -> Result<Self> {
        Ok(Self {
            html: Cow::Owned(plain::markdown_to_html(text, budget)?),
            bare_lines: false,
            signs_are_text: true,
        })
    }
}

pub(crate) fn read(raw: &str, base_url: Option<&str>, budget: &Budget) -> Result<Document> {
    let base = base_url.and_then(|url| Url::parse(url).ok());
    document(&source(raw, budget)?, base.as_ref(), budget)
}

fn source<'a>(raw: &'a str, budget: &Budget) -> Result<Source<'a>> {
    let (text, seen) = source::repaired(raw, budget)?;
    let has_blocks = seen.blocks > 0;
    if !has_blocks && (plain::is_markdown(&text) || (seen.all == 0 && is_clean(&text, budget)?)) {
        return Source::of_markdown(&text, budget);
    }
    let html = if has_blocks || seen.breaks > 0 || seen.raw {
        match plain::with_links(&text) {
            Cow::Owned(linked) => Cow::Owned(linked),
            Cow::Borrowed(_) => text,
        }
    } else {
        Cow::Owned(plain::lines_to_html(&text))
    };
    Ok(Source {
        html,
        bare_lines: has_blocks && seen.breaks == 0,
        signs_are_text: false,
    })
}

fn document(source: &Source<'_>, base: Option<&Url>, budget: &Budget) -> Result<Document> {
    // Text that a table repeats is paid for when it is written.
    budget.begin_text();
    let mut document = html::parse(&source.html, source.bare_lines, base, budget)?;
    budget.spend(document.steps().saturating_mul(8))?;
    if !source.signs_are_text {
        signs::read(&mut document);
    }
    tidy::tidy(&mut document);
    Ok(document)
}

/// Whether a text has several lines in the form that [`write()`](super::write) gives them.
fn is_clean(text: &str, budget: &Budget) -> Result<bool> {
    budget.spend(text.len())?;
    let block = |line: &str| {
        line.starts_with(['-', '*', '>', ' ', '`', '|'])
            || line.starts_with(|c: char| c.is_ascii_digit())
    };
    // A cheap test first: the writer ends lines with a backslash or an empty line.
    let mut lines = text.lines().peekable();
    let mut blocks = false;
    while let Some(line) = lines.next() {
        // A list of dashes is read correctly either way.
        let dash = line
            .strip_prefix("- ")
            .is_some_and(|item| item.starts_with(char::is_alphabetic));
        blocks |= block(line) && !dash;
        let goes_on = lines.peek().is_some_and(|next| !next.is_empty());
        if goes_on && !line.is_empty() && !block(line) && !line.ends_with('\\') {
            return Ok(false);
        }
    }
    if !blocks && !text.contains(['_', '*', '`', '\\', '#', '~']) {
        return Ok(false);
    }
    let plain = |text: &str| text.replace("&lt;", "<");
    let source = Source::of_markdown(text, budget)?;
    let written =
        document(&source, None, budget).and_then(|document| writer::write(&document, budget));
    match written {
        Ok(written) => Ok(plain(&written) == plain(text.trim_end())),
        Err(Exceeded::Output) => Ok(false),
        Err(exceeded) => Err(exceeded),
    }
}
