//! Converts descriptions of any format to clean `CommonMark`, with tables and struck out text as in
//! GitHub Flavored Markdown.

mod builder;
mod emphasis;
mod escape;
mod html;
mod inline;
mod link;
mod plain;
mod signs;
mod source;
mod table;
mod tags;
mod tidy;
mod writer;

#[cfg(test)]
mod tests;

use url::Url;

pub(crate) use self::link::is_safe_link;
use self::source::Source;
use crate::{Budget, Exceeded, document::Document};

/// Converts a description to `CommonMark` without raw HTML and unsafe links. Idempotent.
pub fn from_description(raw: &str, budget: &Budget) -> Result<String, Exceeded> {
    write(&read(raw, None, budget)?, budget)
}

/// Reads a description of any format. Its links are relative to `base_url`.
pub(crate) fn read(
    raw: &str,
    base_url: Option<&str>,
    budget: &Budget,
) -> Result<Document, Exceeded> {
    let base = base_url.and_then(|url| Url::parse(url).ok());
    document(&source::read(raw, budget)?, base.as_ref(), budget)
}

fn document(
    source: &Source<'_>,
    base: Option<&Url>,
    budget: &Budget,
) -> Result<Document, Exceeded> {
    // Text that a table repeats is paid for when it is written.
    budget.begin_text();
    let mut document = html::parse(&source.html, source.bare_lines, base, budget)?;
    // Both of these read each run of text a few times.
    budget.spend(document.steps().saturating_mul(8))?;
    if !source.signs_are_text {
        signs::read(&mut document);
    }
    tidy::tidy(&mut document);
    Ok(document)
}

/// Whether a text without tags looks as [`write()`] would write it, and has more than lines of
/// text.
fn is_clean(text: &str, budget: &Budget) -> Result<bool, Exceeded> {
    budget.spend(text.len())?;
    let block = |line: &str| {
        line.starts_with(['-', '*', '>', ' ', '`', '|'])
            || line.starts_with(|c: char| c.is_ascii_digit())
    };
    // Most texts do not, which is cheap to see: after each line of text the writer puts an empty
    // line, or ends it with a backslash.
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
    let written = document(&source, None, budget).and_then(|document| write(&document, budget));
    match written {
        Ok(written) => Ok(plain(&written) == plain(text.trim_end())),
        // The output would be too long, and so would differ.
        Err(Exceeded::Output) => Ok(false),
        Err(exceeded) => Err(exceeded),
    }
}

/// Writes a document as `CommonMark`.
pub(crate) fn write(document: &Document, budget: &Budget) -> Result<String, Exceeded> {
    writer::write(document, budget)
}
