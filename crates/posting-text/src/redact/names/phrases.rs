//! Phrases that a text puts between a company and another, such as "part of".

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::redact::vocabulary::{lines, listed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phrase {
    Strong,
    /// A word for a client, such as "client", after "our" or "for".
    Client,
    Weak,
    Lower,
    After,
    /// After the name, with the employer before both.
    AfterOwn,
    /// For an agency, after its name or "we".
    Agency,
    /// For an agency, anywhere.
    AgencyClient,
    /// A word for a workplace, such as "hotel", after a preposition.
    House,
}

/// Each phrase by its last word, with its other words. A phrase that precedes a name is found by
/// its first word.
pub(super) type Phrases = FxHashMap<&'static str, Vec<(Vec<&'static str>, Phrase)>>;

pub(super) static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let mut phrases = Phrases::default();
    for (heading, phrase) in lines(include_str!("../tables/related.txt")) {
        let mut words: Vec<_> = listed(phrase).collect();
        let kind = match heading {
            "STRONG" => Phrase::Strong,
            "CLIENT" => Phrase::Client,
            "WEAK" => Phrase::Weak,
            "LOWER" => Phrase::Lower,
            "AFTER" => Phrase::After,
            "AGENCY" => Phrase::Agency,
            "AGENCY CLIENT" => Phrase::AgencyClient,
            "HOUSE" => Phrase::House,
            _ => Phrase::AfterOwn,
        };
        if matches!(kind, Phrase::After | Phrase::AfterOwn) {
            words.reverse();
        }
        if let Some(last) = words.pop() {
            phrases.entry(last).or_default().push((words, kind));
        }
    }
    phrases
});
