//! Converts descriptions of any format to clean `CommonMark`, with tables and struck out text as in
//! GitHub Flavored Markdown.

mod builder;
mod detect;
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

pub(crate) use self::{detect::read, link::is_safe_link, writer::write};
use crate::{Budget, Exceeded};

/// Converts a description to `CommonMark` without raw HTML and unsafe links. Idempotent.
pub fn from_description(raw: &str, budget: &Budget) -> Result<String, Exceeded> {
    write(&read(raw, None, budget)?, budget)
}
