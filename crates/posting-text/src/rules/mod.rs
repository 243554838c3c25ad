//! Requirements on the texts of a posting.
//!
//! [`check`] tests finished texts; [`faults`] lists faults of a model's draft. A redacted text must
//! at least not contain the [`IdentifyingTerms`].

mod clean;
mod draft;
mod rejection;

use std::fmt;

use self::clean::is_evidently_clean;
pub use self::{
    draft::{MAX_PHRASES, dropped, verbatim},
    rejection::{DETAIL, detail},
};
pub use crate::budget::longest;
use crate::{
    Budget, Exceeded, Posting, Result,
    document::{is_unseen, turns_direction},
    markdown::is_safe_link,
    places::Coordinates,
    reading::Reading,
    redact::{IdentifyingTerms, Kind},
};

/// The longest reason of a rejection, in characters.
const MAX_REASON: usize = 1_000;

/// The finished texts of a posting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texts<'a> {
    /// The description as `CommonMark`.
    pub markdown: &'a str,
    /// The description as `CommonMark`, without anything that identifies the company.
    pub redacted_markdown: &'a str,
    /// Why the posting is rejected; `None` if it is approved.
    pub rejection: Option<&'a str>,
}

/// Checks finished texts and coordinates. Texts that fail must not be shown.
///
/// - Texts are no longer than [`longest`] allows, without control characters other than line feeds
///   and tabs, and without characters that change the direction (U+202A–U+202E, U+2066–U+2069).
/// - Both are `CommonMark` without raw HTML and images. Links are absolute `http` or `https`
///   addresses, or `mailto` with an `@`.
/// - The redacted text has no link destination, and its visible text none of the
///   [`IdentifyingTerms`]. Before the search, marks, escapes and invisible characters are removed
///   (U+00AD, U+200B, U+200E, U+200F, U+202A–U+202E, U+2060–U+2069, U+FEFF).
/// - An approved posting has both texts. Coordinates are on Earth.
/// - A rejection has a reason: one line of 1 to 1 000 characters, without control characters.
///
/// The error names the rule, and contains nothing of the texts.
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
    // NaN is in no range.
    let is_on_earth = |it: Coordinates| {
        (-90.0..=90.0).contains(&it.latitude) && (-180.0..=180.0).contains(&it.longitude)
    };
    if !coordinates.is_none_or(is_on_earth) {
        return Err(Breach::Coordinates.into());
    }
    let is_reason = |text: &str| {
        let is_visible = text.chars().any(|c| !c.is_whitespace());
        is_visible && text.chars().count() <= MAX_REASON && !text.contains(char::is_control)
    };
    match rejection {
        Some(reason) if !is_reason(reason) => Err(Breach::Reason.into()),
        _ => Ok(()),
    }
}

/// Returns the faults of a draft, as sentences for its model. Its phrases are [`Posting::hide`].
/// `rejection` is its sentence about a rejection; then the phrases are not checked. The faults are:
///
/// - There are more than [`MAX_PHRASES`] phrases, or one has fewer than two letters or digits.
/// - Most phrases are neither in the title nor in the description. Fewer are [`dropped`].
/// - Beyond the rules, the phrases hide more than 60 letters and more than a quarter of the text.
/// - A rejection has no reason, or one that is too long, has several lines, an address or a number.
pub fn faults(
    posting: &Posting<'_>,
    rejection: Option<&str>,
    budget: &Budget,
) -> Result<Vec<String>, Exceeded> {
    match rejection {
        Some(text) => rejection::faults(text, posting, budget),
        None => draft::faults(posting, budget),
    }
}

/// Checks a redacted title: no [`IdentifyingTerms`], control or invisible characters, and no longer
/// than [`longest`] allows for the title.
pub fn check_title(
    redacted: &str,
    posting: &Posting<'_>,
    budget: &Budget,
) -> Result<(), CheckError> {
    if redacted.len() > longest(posting.title) {
        return Err(Breach::Length(Form::Title).into());
    }
    budget.spend(redacted.len())?;
    if redacted.contains(|c: char| c.is_control() || is_unseen(c)) {
        return Err(Breach::Character(Form::Title).into());
    }
    has_no_term(redacted, posting, Breach::TitleShows, budget)
}

/// Why texts must not be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// A rule is broken.
    #[error(transparent)]
    Breach(#[from] Breach),
    /// The check ran out of budget.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
}

/// The text that a rule concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The description with the company's name.
    Readable,
    /// The description without the company's name.
    Redacted,
    /// The title without the company's name.
    Title,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Readable => "text",
            Self::Redacted => "redacted text",
            Self::Title => "redacted title",
        })
    }
}

/// A broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Breach {
    /// A text is too long.
    #[error("the {0} is out of all proportion to the description")]
    Length(Form),
    /// A text has a forbidden character.
    #[error("the {0} has a control character, or one that turns the direction of writing")]
    Character(Form),
    /// A text has raw HTML.
    #[error("the {0} has raw HTML")]
    Html(Form),
    /// A text has an image.
    #[error("the {0} has an image")]
    Image(Form),
    /// A link is unsafe.
    #[error("the {0} has a link that does not lead to an absolute http, https or mailto address")]
    Link(Form),
    /// The redacted text has a link.
    #[error("the redacted text has a link")]
    LinkOfRedacted,
    /// The redacted text identifies the company.
    #[error("the redacted text shows {}", shown(*.0))]
    Shows(Kind),
    /// The redacted title identifies the company.
    #[error("the redacted title shows {}", shown(*.0))]
    TitleShows(Kind),
    /// A text of an approved posting is empty.
    #[error("the posting is approved, but the {0} is empty")]
    Empty(Form),
    /// The coordinates are not on Earth.
    #[error("the coordinates are not on Earth")]
    Coordinates,
    /// The reason of a rejection is missing or malformed.
    #[error("the rejection has no reason that can be shown")]
    Reason,
}

const fn shown(kind: Kind) -> &'static str {
    match kind {
        Kind::Email => "an e-mail address",
        Kind::Phone => "a telephone number",
        Kind::Link => "the company's domain",
        _ => "the company's name",
    }
}

fn has_bad_character(text: &str) -> bool {
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
    has_no_term(&reading.text, posting, Breach::Shows, budget)
}

fn has_no_term(
    text: &str,
    posting: &Posting<'_>,
    breach: fn(Kind) -> Breach,
    budget: &Budget,
) -> Result<(), CheckError> {
    let found = IdentifyingTerms::of(posting).find(text, budget)?;
    found
        .first()
        .map_or(Ok(()), |term| Err(breach(term.kind).into()))
}

#[cfg(test)]
mod tests;
