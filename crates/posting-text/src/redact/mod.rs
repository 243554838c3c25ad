//! Redacts texts: removes everything that identifies the company or bypasses the board.
//!
//! Redaction works on the document, not on its Markdown, so markup inside a word hides nothing and
//! no escape is cut in two. Tokens are in plain square brackets; the writer makes sure that no
//! bracket in a text becomes a link.

mod acronym;
mod address;
mod cjk;
mod contact;
mod cues;
mod handle;
mod id;
mod inflect;
mod inside;
mod key;
mod kind;
mod names;
mod person;
mod phrase;
mod replace;
mod scan;
mod script;
mod sound;
mod vocabulary;
mod web;
pub(crate) mod words;

#[cfg(test)]
mod tests;

use std::ops::Range;

pub(crate) use self::phrase::is_enough;
pub(crate) use self::words::begins_sentence;
pub use self::{
    kind::{Counts, Kind},
    phrase::Phrase,
};
use self::{
    replace::hide_ranges,
    scan::{Found, add},
};
pub(crate) use self::{scan::Scan, script::is_unspaced};
use crate::{
    Budget, Exceeded, Posting,
    document::{Block, Document, Span},
    markdown,
    rules::{Secrets, is_unseen},
};

/// Whether a name is an ordinary word, which may begin a sentence without being the name.
pub(crate) fn is_ordinary(word: &str) -> bool {
    cues::of(&word.to_lowercase()).has(cues::Cues::GENERIC)
}

/// What must not be shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Identity<'a> {
    name: &'a str,
    /// Further names of the company.
    other_names: &'a [&'a str],
    website: &'a str,
    /// The city of the workplace, which may show even if the company is named after it.
    city: Option<&'a str>,
    /// The country of the workplace, two letters.
    country: Option<&'a str>,
    /// Phrases to hide beside what rules find.
    phrases: &'a [Phrase<'a>],
    /// What certainly identifies the company, by the rules for every redacted text.
    secrets: Option<&'a Secrets>,
}

impl<'a> Identity<'a> {
    /// What must not be shown of a posting.
    pub(crate) fn of(posting: &Posting<'a>, secrets: &'a Secrets) -> Self {
        Self {
            name: posting.company_name,
            other_names: posting.other_names,
            website: posting.company_website,
            city: posting.city,
            country: posting.country,
            phrases: posting.hide,
            secrets: Some(secrets),
        }
    }
}

/// Converts a text to clean `CommonMark`, without anything that identifies the posting's company or
/// leads to it. Idempotent.
pub fn markdown(source: &str, posting: &Posting<'_>, budget: &Budget) -> Result<String, Exceeded> {
    hidden(
        source,
        &Identity::of(posting, &Secrets::of(posting)),
        budget,
    )
}

/// Redacts one line of plain text, such as a title, for the posting's company. Leaves out characters
/// that cannot be seen. Idempotent.
pub fn line(text: &str, posting: &Posting<'_>, budget: &Budget) -> Result<String, Exceeded> {
    let seen = text.chars().filter(|c| !is_unseen(*c));
    let seen: String = seen.map(|c| if c.is_control() { ' ' } else { c }).collect();
    let whole = Span {
        text: seen.split_whitespace().collect::<Vec<_>>().join(" "),
        ..Span::default()
    };
    let mut document = Document {
        blocks: vec![Block::Paragraph(vec![whole])],
        ..Document::default()
    };
    let text = text_of(&document);
    let scan = Scan::of(&text, posting.company_website, budget)?;
    let secrets = Secrets::of(posting);
    let identity = Identity::of(posting, &secrets);
    hide(&mut document, &identity, scan, budget)?;
    let text = text_of(&document);
    Ok(text.trim_end_matches(SEPARATOR).to_owned())
}

/// Something in a text that must not be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Its range in the text, in bytes.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: Kind,
}

/// Finds what [`markdown`] would hide in a plain text: of one block, or of several separated by a
/// line with the control character U+001E. In order and without overlaps.
pub fn find(text: &str, posting: &Posting<'_>, budget: &Budget) -> Result<Vec<Hidden>, Exceeded> {
    let secrets = Secrets::of(posting);
    let identity = Identity::of(posting, &secrets);
    let scan = Scan::of(text, identity.website, budget)?;
    let mut found = scan.find(&identity, budget)?;
    for (range, kind) in certain(&identity, text, budget)? {
        add(&mut found, vec![range], kind);
    }
    let hidden = |(range, kind)| Hidden { range, kind };
    Ok(found.into_iter().map(hidden).collect())
}

fn hidden(source: &str, identity: &Identity<'_>, budget: &Budget) -> Result<String, Exceeded> {
    let mut document = markdown::read(source, None, budget)?;
    budget.spend(document.steps())?;
    let text = text_of(&document);
    let scan = Scan::of(&text, identity.website, budget)?;
    hide(&mut document, identity, scan, budget)?;
    markdown::write(&document, budget)
}

/// Separates paragraphs. No document contains this control character, so no match spans paragraphs.
pub(crate) const SEPARATOR: &str = "\n\u{1e}\n";

/// The most passes over a text.
const MAX_PASSES: usize = 8;

/// Hides everything to redact in a document that was scanned, and counts it.
pub(crate) fn hide(
    document: &mut Document,
    identity: &Identity<'_>,
    scan: Scan<'_>,
    budget: &Budget,
) -> Result<Counts, Exceeded> {
    let mut counts = Counts::default();
    let mut hide = |document: &mut Document, found: &[Found]| {
        for (_, kind) in found {
            counts.add(*kind);
        }
        hide_ranges(document, found, budget)
    };
    hide(document, &scan.find(identity, budget)?)?;
    // Secrets are hidden even if the name does not look like one. Hiding one may separate another
    // from its neighbour: `Example+47 12345678`.
    for _ in 0..MAX_PASSES {
        budget.spend(document.steps())?;
        let secrets = certain(identity, &text_of(document), budget)?;
        if secrets.is_empty() {
            break;
        }
        hide(document, &secrets)?;
    }
    Ok(counts)
}

/// Finds what certainly identifies the company.
fn certain(identity: &Identity<'_>, text: &str, budget: &Budget) -> Result<Vec<Found>, Exceeded> {
    let Some(secrets) = identity.secrets else {
        return Ok(Vec::new());
    };
    let found = secrets.find(text, budget)?.into_iter();
    Ok(found
        .map(|secret| (secret.range, Kind::of(secret.kind)))
        .collect())
}

/// The text of a document, with [`SEPARATOR`] after each paragraph.
pub(crate) fn text_of(document: &Document) -> String {
    let mut text = String::new();
    document.for_each_text(&mut |spans| {
        for span in spans {
            text.push_str(&span.text);
        }
        text.push_str(SEPARATOR);
    });
    text
}
