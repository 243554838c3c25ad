//! Redacts texts: hides everything that identifies the company or bypasses the board.
//!
//! Redaction works on the document, not on Markdown text, so markup inside a word hides nothing and
//! no escape is torn. Tokens stand in plain square brackets; the writer makes sure that no bracket
//! in a text can become a link.

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

/// The data that must not be shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Identity<'a> {
    name: &'a str,
    website: &'a str,
    /// The city of the workplace, which may show even if the company is named after it.
    city: Option<&'a str>,
    /// The country of the workplace, two letters.
    country: Option<&'a str>,
    /// The certain part of it, by the rules that every redacted text must keep.
    secrets: Option<&'a Secrets>,
}

impl<'a> Identity<'a> {
    /// The data of a posting that must not be shown.
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

    /// The replacement in the text.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Company => "[company]",
            Self::Email => "[email]",
            Self::Phone => "[phone]",
            Self::Link => "[link]",
        }
    }
}

/// The text as clean `CommonMark`, without anything that identifies the posting's company or leads
/// to it. Idempotent.
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

/// A document's text, and the addresses and numbers in it.
#[derive(Debug)]
pub(crate) struct Scan {
    /// All text, with [`SEPARATOR`] after each paragraph.
    pub(crate) text: String,
    pub(crate) contacts: Vec<(Range<usize>, Kind)>,
    /// The label of the company's website.
    label: Option<String>,
}

/// Separates paragraphs. The control character occurs in no document, so no match crosses it.
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

    /// Everything to hide, in order and without overlaps.
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

/// The largest number of passes over a text.
const ROUNDS: usize = 8;

/// Hides everything in a document that was scanned.
pub(crate) fn hide(
    document: &mut Document,
    identity: &Identity<'_>,
    scan: &Scan,
    budget: &Budget,
) -> Result<(), Exceeded> {
    hide_ranges(document, &scan.find(identity, budget)?, budget)?;
    // Whatever certainly identifies the company is hidden, be it by a name that looks like no
    // name. What is hidden may part what it stood beside: `Example+47 12345678`.
    for _ in 0..ROUNDS {
        budget.spend(document.steps())?;
        let secrets = certain(identity, &text_of(document), budget)?;
        if secrets.is_empty() {
            break;
        }
        hide_ranges(document, &secrets, budget)?;
    }
    Ok(())
}

/// What a text shows of that which certainly identifies the company.
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

/// All text of a document, with [`SEPARATOR`] after each paragraph.
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

/// Adds ranges that overlap no known one, and keeps the order.
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

/// Replaces ranges by tokens. The first span of a range gets the token, so the style stays.
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
            say_once(&mut span.text, token, &format!(" {token}"), budget)?;
            say_once(&mut span.text, token, &format!(" ({token})"), budget)?;
        }
    }
    Ok(())
}

/// Takes out `again` behind `token`, for as long as it stands there: what is taken out may bring
/// the next one behind a token. One look at the text is enough, because that one can only end
/// where the next `again` ends.
fn say_once(text: &mut String, token: &str, again: &str, budget: &Budget) -> Result<(), Exceeded> {
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
