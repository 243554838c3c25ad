//! Converts descriptions of any format to clean `CommonMark` with GFM tables.

mod builder;
mod detect;
mod emphasis;
mod encoded;
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

/// Decodes a line of a form: `M&uuml;ller &amp; S&ouml;hne`.
#[cfg(feature = "redact")]
pub(crate) fn line<'a>(
    text: &'a str,
    budget: &Budget,
) -> Result<std::borrow::Cow<'a, str>, Exceeded> {
    let plain = encoded::decoded(text, budget)?;
    budget.spend(plain.len().saturating_mul(4))?;
    Ok(encoded::without_references(plain))
}
