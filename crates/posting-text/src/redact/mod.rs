//! Redacts texts: removes everything that identifies the company or bypasses the board.
//!
//! Redaction works on the document, not on its Markdown, so markup inside a word hides nothing and
//! no escape is cut in two. Tokens are in plain square brackets; the writer makes sure that no
//! bracket in a text becomes a link.

mod acronym;
mod company;
mod contact;
mod inside;
mod key;
mod vocabulary;
mod web;
pub(crate) mod words;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::{
    Budget, Exceeded, Posting,
    document::{Document, Span},
    markdown,
    rules::{SecretKind, Secrets},
};

/// What must not be shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Identity<'a> {
    name: &'a str,
    website: &'a str,
    /// The city of the workplace, which may show even if the company is named after it.
    city: Option<&'a str>,
    /// The country of the workplace, two letters.
    country: Option<&'a str>,
    /// What certainly identifies the company, by the rules for every redacted text.
    secrets: Option<&'a Secrets>,
}

impl<'a> Identity<'a> {
    /// What must not be shown of a posting.
    pub(crate) fn of(posting: &Posting<'a>, secrets: &'a Secrets) -> Self {
        Self {
            name: posting.company_name,
            website: posting.company_website,
            city: posting.city,
            country: posting.country,
            secrets: Some(secrets),
        }
    }
}

/// The kind of a redaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The company's name, in any form.
    Company,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A URL or a domain.
    Link,
}

impl Kind {
    const fn of(secret: SecretKind) -> Self {
        match secret {
            SecretKind::Company => Self::Company,
            SecretKind::Email => Self::Email,
            SecretKind::Phone => Self::Phone,
            SecretKind::Host => Self::Link,
        }
    }

    /// The token that replaces it.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Company => "[company]",
            Self::Email => "[email]",
            Self::Phone => "[phone]",
            Self::Link => "[link]",
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

fn hidden(source: &str, identity: &Identity<'_>, budget: &Budget) -> Result<String, Exceeded> {
    let mut document = markdown::read(source, budget)?;
    let scan = Scan::of(&document, identity.website, budget)?;
    hide(&mut document, identity, &scan, budget)?;
    markdown::write(&document, budget)
}

/// The text of a document, and the addresses and telephone numbers in it.
#[derive(Debug)]
pub(crate) struct Scan {
    /// All text, with [`SEPARATOR`] after each paragraph.
    pub(crate) text: String,
    pub(crate) contacts: Vec<(Range<usize>, Kind)>,
    /// The label of the company's website.
    label: Option<String>,
}

/// Separates paragraphs. No document contains this control character, so no match spans paragraphs.
pub(crate) const SEPARATOR: &str = "\n\u{1e}\n";

impl Scan {
    pub(crate) fn of(
        document: &Document,
        website: &str,
        budget: &Budget,
    ) -> Result<Self, Exceeded> {
        budget.spend(document.steps())?;
        let label = web::label(website);
        let text = text_of(document);
        let mut contacts = Vec::new();
        add(&mut contacts, web::urls(&text, budget)?, Kind::Link);
        add(&mut contacts, contact::emails(&text, budget)?, Kind::Email);
        add(
            &mut contacts,
            web::domains(&text, label.as_deref(), budget)?,
            Kind::Link,
        );
        add(&mut contacts, contact::phones(&text, budget)?, Kind::Phone);
        Ok(Self {
            text,
            contacts,
            label,
        })
    }

    /// Finds everything to hide, in order and without overlaps.
    fn find(
        &self,
        identity: &Identity<'_>,
        budget: &Budget,
    ) -> Result<Vec<(Range<usize>, Kind)>, Exceeded> {
        budget.spend(self.text.len().saturating_mul(2) + self.contacts.len())?;
        let mut words = words::words(&self.text);
        words.retain(|word| {
            let at = self
                .contacts
                .partition_point(|(range, _)| range.end <= word.start);
            self.contacts
                .get(at)
                .is_none_or(|(range, _)| range.start >= word.end())
        });
        let names = company::Names::new(identity, self, &words, budget)?;
        let mut found = self.contacts.clone();
        let names = names.find(&self.text, &words, budget)?;
        add(&mut found, names, Kind::Company);
        Ok(found)
    }
}

/// The most passes over a text.
const MAX_PASSES: usize = 8;

/// Hides everything to redact in a document that was scanned.
pub(crate) fn hide(
    document: &mut Document,
    identity: &Identity<'_>,
    scan: &Scan,
    budget: &Budget,
) -> Result<(), Exceeded> {
    hide_ranges(document, &scan.find(identity, budget)?, budget)?;
    // Secrets are hidden even if the name does not look like one. Hiding one may separate another
    // from its neighbour: `Example+47 12345678`.
    for _ in 0..MAX_PASSES {
        budget.spend(document.steps())?;
        let secrets = certain(identity, &text_of(document), budget)?;
        if secrets.is_empty() {
            break;
        }
        hide_ranges(document, &secrets, budget)?;
    }
    Ok(())
}

/// Finds what certainly identifies the company.
fn certain(
    identity: &Identity<'_>,
    text: &str,
    budget: &Budget,
) -> Result<Vec<(Range<usize>, Kind)>, Exceeded> {
    let Some(secrets) = identity.secrets else {
        return Ok(Vec::new());
    };
    let found = secrets.find(text, budget)?.into_iter();
    Ok(found
        .map(|secret| (secret.range, Kind::of(secret.kind)))
        .collect())
}

fn hide_ranges(
    document: &mut Document,
    found: &[(Range<usize>, Kind)],
    budget: &Budget,
) -> Result<(), Exceeded> {
    budget.spend(document.steps() + found.len())?;
    let mut offset = 0;
    let mut result = Ok(());
    document.for_each_text_mut(&mut |spans| {
        let length: usize = spans.iter().map(|span| span.text.len()).sum();
        for span in spans.iter_mut() {
            span.link = None;
        }
        let first = found.partition_point(|(range, _)| range.end <= offset);
        let after = found.partition_point(|(range, _)| range.start < offset + length);
        if result.is_ok() {
            result = replace(spans, offset, &found[first..after], budget);
        }
        offset += length + SEPARATOR.len();
    });
    result
}

/// The text of a document, with [`SEPARATOR`] after each paragraph.
fn text_of(document: &Document) -> String {
    let mut text = String::new();
    document.for_each_text(&mut |spans| {
        for span in spans {
            text.push_str(&span.text);
        }
        text.push_str(SEPARATOR);
    });
    text
}

/// Adds ranges that overlap no existing one, in order.
fn add(found: &mut Vec<(Range<usize>, Kind)>, ranges: Vec<Range<usize>>, kind: Kind) {
    let mut all: Vec<(Range<usize>, Kind)> = Vec::with_capacity(found.len() + ranges.len());
    let mut known = std::mem::take(found).into_iter().peekable();
    for range in ranges {
        while let Some(before) = known.next_if(|(other, _)| other.start < range.end) {
            all.push(before);
        }
        if all.last().is_none_or(|(last, _)| last.end <= range.start) {
            all.push((range, kind));
        }
    }
    all.extend(known);
    *found = all;
}

/// Replaces ranges by tokens. The first span of a range gets the token, and so its style.
fn replace(
    spans: &mut Vec<Span>,
    offset: usize,
    found: &[(Range<usize>, Kind)],
    budget: &Budget,
) -> Result<(), Exceeded> {
    if found.is_empty() {
        return Ok(());
    }
    let mut start = offset;
    let mut first = 0;
    for span in spans.iter_mut() {
        let end = start + span.text.len();
        let mut text = String::with_capacity(span.text.len());
        let mut at = start;
        while first < found.len() && found[first].0.end <= start {
            first += 1;
        }
        for (range, kind) in found[first..]
            .iter()
            .take_while(|(range, _)| range.start < end)
        {
            if range.start >= start {
                text.push_str(&span.text[at - start..range.start - start]);
                text.push_str(kind.token());
            }
            at = range.end.min(end);
        }
        text.push_str(&span.text[at - start..]);
        span.text = text;
        start = end;
    }
    spans.retain(|span| !span.text.is_empty());
    for span in spans {
        for kind in [Kind::Company, Kind::Link] {
            // "Example Group (Example)" gets one token.
            let token = kind.token();
            remove_repeats(&mut span.text, token, &format!(" {token}"), budget)?;
            remove_repeats(&mut span.text, token, &format!(" ({token})"), budget)?;
        }
    }
    Ok(())
}

/// Removes `again` after `token`, repeatedly, since a removal may move the next `again` up to a
/// token. One pass is enough, because such a repetition ends where the next `again` ends.
fn remove_repeats(
    text: &mut String,
    token: &str,
    again: &str,
    budget: &Budget,
) -> Result<(), Exceeded> {
    budget.spend(text.len())?;
    let twice = format!("{token}{again}");
    let (Some(first), Some(last)) = (text.find(&twice), again.chars().next_back()) else {
        return Ok(());
    };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    for piece in text[first..].split_inclusive(last) {
        budget.spend(piece.len() + twice.len())?;
        out.push_str(piece);
        if out.ends_with(&twice) {
            out.truncate(out.len() - again.len());
        }
    }
    *text = out;
    Ok(())
}
