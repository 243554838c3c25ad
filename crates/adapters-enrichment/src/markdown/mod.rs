//! Descriptions in whatever form they come, to clean `CommonMark`.

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

use self::source::Source;
use crate::document::Document;

/// The description as `CommonMark` without raw HTML.
pub fn from_description(raw: &str) -> String {
    write(&read(raw))
}

/// Reads a description of any form.
pub(crate) fn read(raw: &str) -> Document {
    document(&source::read(raw))
}

fn document(source: &Source<'_>) -> Document {
    let mut document = html::parse(&source.html, source.bare_lines);
    if !source.signs_are_text {
        signs::read(&mut document);
    }
    tidy::tidy(&mut document);
    document
}

/// Whether a text without tags is what [`write`] writes, and may be more than lines of text.
fn is_clean(text: &str) -> bool {
    let block = |line: &str| {
        line.starts_with(['-', '*', '>', ' ', '`'])
            || line.starts_with(|c: char| c.is_ascii_digit())
    };
    // Most texts are neither, which is cheap to see: what is written has an empty line or a
    // backslash after each line of text.
    let mut lines = text.lines().peekable();
    let mut blocks = false;
    while let Some(line) = lines.next() {
        // A list of dashes is understood either way.
        let dash = line
            .strip_prefix("- ")
            .is_some_and(|item| item.starts_with(char::is_alphabetic));
        blocks |= block(line) && !dash;
        let goes_on = lines.peek().is_some_and(|next| !next.is_empty());
        if goes_on && !line.is_empty() && !block(line) && !line.ends_with('\\') {
            return false;
        }
    }
    let plain = |text: &str| text.replace("&lt;", "<");
    (blocks || text.contains(['_', '*', '`', '\\', '#']))
        && plain(&write(&document(&Source::of_markdown(text)))) == plain(text.trim_end())
}

/// Writes a document as `CommonMark`.
pub(crate) fn write(document: &Document) -> String {
    writer::write(document)
}
