//! What an enrichment must satisfy, whatever produced it.
//!
//! [`faults`] is what an author is told about its draft; [`check`] is what nobody gets around.
//! [`Secrets`] says what must not show in a redacted text. It is *the least*: a redactor hides
//! more, and may use it to be sure that nothing of this is left.

mod address;
mod contact;
mod draft;
pub(crate) mod reading;
mod rejection;
mod secrets;

use std::fmt;

use self::reading::{Reading, is_evidently_clean, is_safe_link, turns_direction};
pub use self::{
    draft::faults,
    rejection::{DETAIL, explanation},
    secrets::{Secret, SecretKind, Secrets},
};
use super::{Coordinates, EnrichError, EnrichedTexts, Enrichment, EnrichmentInput, Verdict};

/// How many times as long as the description a text may be: escapes double signs, tokens are
/// longer than short names, and items of deep lists are indented.
const TIMES: usize = 10;
/// How many bytes longer than that a text may be.
const MORE: usize = 10_000;
/// The longest reason of a rejection, in characters.
const REASON: usize = 1_000;

/// Holds a finished enrichment against the rules. What fails here is shown to nobody.
///
/// - Neither text is longer than ten times the description and 10 000 bytes. Neither has control
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
pub fn check(enrichment: &Enrichment, input: &EnrichmentInput) -> Result<(), EnrichError> {
    holds(enrichment, input)
        .map_err(|breach| EnrichError::Permanent(format!("the enrichment breaks a rule: {breach}")))
}

/// Which of the two texts a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Readable,
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
enum Breach {
    #[error("the {0} is out of all proportion to the description")]
    Length(Form),
    #[error("the {0} has a control character, or one that turns the direction of writing")]
    Character(Form),
    #[error("the {0} has raw HTML")]
    Html(Form),
    #[error("the {0} has an image")]
    Image(Form),
    #[error("the {0} has a link that does not lead to an absolute http, https or mailto address")]
    Link(Form),
    #[error("the redacted text has a link")]
    LinkOfRedacted,
    #[error("the redacted text shows {0}")]
    Shows(SecretKind),
    #[error("the posting is approved, but the {0} is empty")]
    Empty(Form),
    #[error("the coordinates are not on Earth")]
    Coordinates,
    #[error("the rejection has no reason that can be shown")]
    Reason,
}

fn holds(enrichment: &Enrichment, input: &EnrichmentInput) -> Result<(), Breach> {
    let EnrichedTexts {
        markdown,
        redacted_markdown,
    } = &enrichment.texts;
    let most = TIMES * input.raw_description.len() + MORE;
    for (form, text) in [
        (Form::Readable, markdown),
        (Form::Redacted, redacted_markdown),
    ] {
        if text.len() > most {
            return Err(Breach::Length(form));
        }
        if has_bad_character(text) {
            return Err(Breach::Character(form));
        }
        if enrichment.verdict == Verdict::Approve && text.trim().is_empty() {
            return Err(Breach::Empty(form));
        }
    }
    if !is_evidently_clean(markdown) {
        is_clean(Form::Readable, &Reading::of(markdown))?;
    }
    is_redacted(&Reading::of(redacted_markdown), input)?;
    if enrichment
        .coordinates
        .is_some_and(|place| !is_on_earth(place))
    {
        return Err(Breach::Coordinates);
    }
    match &enrichment.verdict {
        Verdict::Reject { text, .. } if !is_reason(text) => Err(Breach::Reason),
        _ => Ok(()),
    }
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

fn is_redacted(reading: &Reading<'_>, input: &EnrichmentInput) -> Result<(), Breach> {
    is_clean(Form::Redacted, reading)?;
    if !reading.links.is_empty() {
        return Err(Breach::LinkOfRedacted);
    }
    match Secrets::of(input).find(&reading.text).first() {
        Some(secret) => Err(Breach::Shows(secret.kind)),
        None => Ok(()),
    }
}

fn is_on_earth(place: Coordinates) -> bool {
    // What is no number is in no range.
    (-90.0..=90.0).contains(&place.latitude) && (-180.0..=180.0).contains(&place.longitude)
}

fn is_reason(text: &str) -> bool {
    let is_visible = text.chars().any(|c| !c.is_whitespace());
    is_visible && text.chars().count() <= REASON && !text.contains(char::is_control)
}

#[cfg(test)]
mod tests;
