//! Requirements on texts about a posting, whatever their source.
//!
//! [`faults`] lists the faults of a draft for its model; [`check`] is the requirement on every
//! text. [`Secrets`] are what must not be shown in a redacted text. They are *the least*: a
//! redactor hides more, and may use them to make sure that none is left.

mod address;
mod contact;
mod draft;
mod reading;
mod rejection;
mod secrets;

use std::fmt;

use self::reading::{Reading, is_evidently_clean, is_safe_link, turns_direction};
pub use self::{
    draft::faults,
    rejection::{DETAIL, detail},
    secrets::{Secret, SecretKind, Secrets},
};
use crate::{Budget, Exceeded, Posting, places::Coordinates};

/// How many times as long as the description a text may be: escapes double signs, tokens are
/// longer than short names, and items of deep lists are indented.
const TIMES: usize = 3;
/// How many bytes longer than that a text may be.
const MORE: usize = 64 * 1024;
/// The longest reason of a rejection, in characters.
const REASON: usize = 1_000;

/// The texts of a posting for readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texts<'a> {
    /// The description as `CommonMark`.
    pub markdown: &'a str,
    /// The same without anything that identifies the company.
    pub redacted_markdown: &'a str,
    /// Why the posting is rejected; `None` if it is approved.
    pub rejection: Option<&'a str>,
}

/// Holds finished texts and a place against the rules. What fails here must be shown to nobody.
///
/// - Neither text is longer than [`longest`] says. Neither has control
///   characters other than line feeds and tabs, or characters that embed, override or isolate
///   the direction of writing (U+202A–U+202E, U+2066–U+2069).
/// - Both are `CommonMark` without raw HTML and without images. Every link leads to an absolute
///   `http` or `https` address, or is a `mailto` with an `@`.
/// - The redacted text has no link destination at all, not even a definition that nothing refers
///   to, and what a reader sees of it has none of the [`Secrets`]. A reader sees each block's
///   text: without marks, with entities and escapes resolved, and without the characters that
///   are there but cannot be seen (U+00AD, U+200B, U+200E, U+200F, U+202A–U+202E,
///   U+2060–U+2069, U+FEFF).
/// - An approved posting has both texts.
/// - Coordinates are on Earth.
/// - A rejection has a reason: one line, not blank, at most 1 000 characters, without control
///   characters.
///
/// The error names the rule and repeats nothing of the texts.
pub fn check(
    texts: &Texts<'_>,
    coordinates: Option<Coordinates>,
    posting: &Posting<'_>,
    budget: &Budget,
) -> Result<(), CheckError> {
    let Texts {
        markdown,
        redacted_markdown,
        rejection,
    } = *texts;
    let most = longest(posting.description);
    for (form, text) in [
        (Form::Readable, markdown),
        (Form::Redacted, redacted_markdown),
    ] {
        if text.len() > most {
            return Err(Breach::Length(form).into());
        }
        budget.spend(text.len())?;
        if has_bad_character(text) {
            return Err(Breach::Character(form).into());
        }
        if rejection.is_none() && text.trim().is_empty() {
            return Err(Breach::Empty(form).into());
        }
    }
    if !is_evidently_clean(markdown) {
        is_clean(Form::Readable, &Reading::of(markdown, budget)?)?;
    }
    is_redacted(&Reading::of(redacted_markdown, budget)?, posting, budget)?;
    if coordinates.is_some_and(|place| !is_on_earth(place)) {
        return Err(Breach::Coordinates.into());
    }
    match rejection {
        Some(reason) if !is_reason(reason) => Err(Breach::Reason.into()),
        _ => Ok(()),
    }
}

/// The most bytes that a text of a description may have: three times as many, and 64 KiB.
pub fn longest(description: &str) -> usize {
    description.len().saturating_mul(TIMES).saturating_add(MORE)
}

/// The reason why texts must not be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// A rule does not hold.
    #[error(transparent)]
    Breach(#[from] Breach),
    /// Finding out takes too much.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
}

/// Which of the two texts a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The text with the company's name.
    Readable,
    /// The text without.
    Redacted,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Readable => "text",
            Self::Redacted => "redacted text",
        })
    }
}

/// A rule that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Breach {
    /// A text is too long.
    #[error("the {0} is out of all proportion to the description")]
    Length(Form),
    /// A text has a character that no text may have.
    #[error("the {0} has a control character, or one that turns the direction of writing")]
    Character(Form),
    /// A text has raw HTML.
    #[error("the {0} has raw HTML")]
    Html(Form),
    /// A text has an image.
    #[error("the {0} has an image")]
    Image(Form),
    /// A link leads where a reader should not follow.
    #[error("the {0} has a link that does not lead to an absolute http, https or mailto address")]
    Link(Form),
    /// The redacted text leads past the board.
    #[error("the redacted text has a link")]
    LinkOfRedacted,
    /// The redacted text identifies the company.
    #[error("the redacted text shows {0}")]
    Shows(SecretKind),
    /// A text of an approved posting is empty.
    #[error("the posting is approved, but the {0} is empty")]
    Empty(Form),
    /// The place is nowhere.
    #[error("the coordinates are not on Earth")]
    Coordinates,
    /// The rejection cannot be explained.
    #[error("the rejection has no reason that can be shown")]
    Reason,
}

fn has_bad_character(text: &str) -> bool {
    if text.is_ascii() {
        return text
            .bytes()
            .any(|byte| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t'));
    }
    text.chars()
        .any(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || turns_direction(c))
}

fn is_clean(form: Form, reading: &Reading<'_>) -> Result<(), Breach> {
    if !reading.html.is_empty() {
        return Err(Breach::Html(form));
    }
    if !reading.images.is_empty() {
        return Err(Breach::Image(form));
    }
    if !reading.links.iter().all(|link| is_safe_link(link)) {
        return Err(Breach::Link(form));
    }
    Ok(())
}

fn is_redacted(
    reading: &Reading<'_>,
    posting: &Posting<'_>,
    budget: &Budget,
) -> Result<(), CheckError> {
    is_clean(Form::Redacted, reading)?;
    if !reading.links.is_empty() {
        return Err(Breach::LinkOfRedacted.into());
    }
    match Secrets::of(posting).find(&reading.text, budget)?.first() {
        Some(secret) => Err(Breach::Shows(secret.kind).into()),
        None => Ok(()),
    }
}

fn is_on_earth(place: Coordinates) -> bool {
    // NaN is in no range.
    (-90.0..=90.0).contains(&place.latitude) && (-180.0..=180.0).contains(&place.longitude)
}

fn is_reason(text: &str) -> bool {
    let is_visible = text.chars().any(|c| !c.is_whitespace());
    is_visible && text.chars().count() <= REASON && !text.contains(char::is_control)
}

#[cfg(test)]
mod tests;
