//! Descriptions in whatever form they come, to clean `CommonMark`.

mod builder;
mod emphasis;
mod escape;
mod html;
mod inline;
mod link;
mod plain;
mod source;
mod table;
mod tags;
mod tidy;
mod writer;

#[cfg(test)]
mod tests;

use crate::document::Document;

/// The description as `CommonMark` without raw HTML.
pub fn from_description(raw: &str) -> String {
    write(&read(raw))
}

/// Reads a description of any form.
pub(crate) fn read(raw: &str) -> Document {
    let source = source::read(raw);
    let mut document = html::parse(&source.html, source.bare_lines);
    tidy::tidy(&mut document);
    document
}

/// Writes a document as `CommonMark`.
pub(crate) fn write(document: &Document) -> String {
    writer::write(document)
}
