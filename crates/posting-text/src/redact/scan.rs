//! Reads a text once: its words, and the addresses and telephone numbers in it.

use std::ops::Range;

use super::{
    Kind, address,
    contact::{email, phone},
    handle, id, names, person,
    phrase::add_phrases,
    script::is_unspaced,
    web,
    words::{self, Word},
};
use crate::{Budget, Exceeded, Posting};

/// A range of a text, and the kind of what it shows.
pub(crate) type Found = (Range<usize>, Kind);

/// A text, its words, and the addresses and telephone numbers in it.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    pub(crate) text: &'a str,
    pub(crate) words: Vec<Word<'a>>,
    pub(crate) contacts: Vec<Found>,
    /// The label of the company's website.
    pub(crate) label: Option<String>,
}

impl<'a> Scan<'a> {
    /// Reads a text, with [`SEPARATOR`](crate::document::SEPARATOR) after each paragraph.
    pub(crate) fn of(text: &'a str, website: &str, budget: &Budget) -> Result<Self, Exceeded> {
        budget.spend(text.len().saturating_mul(2))?;
        let label = web::label(website);
        let mut words = words::words(text);
        words.retain(|word| !is_token(text, word));
        let mut contacts = Vec::new();
        add(&mut contacts, web::urls(text, budget)?, Kind::Link);
        let emails = email::emails(text, &words, budget)?;
        add(&mut contacts, emails, Kind::Email);
        let domains = web::domains(text, label.as_deref(), budget)?;
        add(&mut contacts, domains, Kind::Link);
        add(&mut contacts, id::ids(text, &words, budget)?, Kind::Id);
        let handles = handle::handles(text, &words, budget)?;
        add(&mut contacts, handles, Kind::Handle);
        add(&mut contacts, phone::phones(text, budget)?, Kind::Phone);
        Ok(Self {
            text,
            words,
            contacts,
            label,
        })
    }

    /// Finds everything to hide, in order and without overlaps.
    pub(crate) fn find(
        self,
        posting: &Posting<'_>,
        budget: &Budget,
    ) -> Result<Vec<Found>, Exceeded> {
        budget.spend(self.text.len() + self.contacts.len())?;
        let Self {
            text,
            mut words,
            contacts: mut found,
            label,
        } = self;
        retain_outside(&mut words, &found);
        let names = names::Names::new(posting, label, text, &words, budget)?;
        let names = names.find(text, &words, budget)?;
        add(&mut found, names, Kind::Company);
        retain_outside(&mut words, &found);
        let addresses = address::addresses(text, &words, &found, posting.city, budget)?;
        if !addresses.is_empty() {
            add(&mut found, addresses, Kind::Address);
            retain_outside(&mut words, &found);
        }
        let persons = person::persons(text, &words, &found, budget)?;
        add(&mut found, persons, Kind::Person);
        add_phrases(&mut found, text, posting.hide, budget)?;
        Ok(found)
    }
}

/// Whether a word is that of a token, which a text may have already.
fn is_token(text: &str, word: &Word<'_>) -> bool {
    text[..word.start].ends_with('[')
        && text[word.end()..].starts_with(']')
        && Kind::ALL.iter().any(|kind| kind.name() == word.text)
}

/// Keeps the words that are in none of these ranges, and what is after a range of a word of a script
/// without spaces: `採用担当` of `里採用担当`.
pub(crate) fn retain_outside(words: &mut Vec<Word<'_>>, found: &[Found]) {
    let mut at = 0;
    words.retain_mut(|word| {
        while found
            .get(at)
            .is_some_and(|(range, _)| range.end <= word.start)
        {
            at += 1;
        }
        let Some((range, _)) = found.get(at) else {
            return true;
        };
        if range.start < word.end()
            && range.end < word.end()
            && word.text.ends_with(is_unspaced)
            && let Some(rest) = word.text.get(range.end - word.start..)
        {
            *word = words::word(range.end, rest);
            return found
                .get(at + 1)
                .is_none_or(|(next, _)| next.start >= word.end());
        }
        range.start >= word.end()
    });
}

/// Adds ranges that overlap no existing one, in order.
pub(crate) fn add(found: &mut Vec<Found>, ranges: Vec<Range<usize>>, kind: Kind) {
    if ranges.is_empty() {
        return;
    }
    let mut all: Vec<Found> = Vec::with_capacity(found.len() + ranges.len());
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
