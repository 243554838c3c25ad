//! Phrases that a text puts between a company and another, such as "part of".

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::redact::vocabulary::{lines, listed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phrase {
    Strong,
    /// Before one name or several.
    List,
    /// A word for a client, such as "client", after "our" or "for".
    Client,
    Weak,
    Group,
    Lower,
    After,
    /// After the name, with the employer before both.
    AfterOwn,
    /// For an agency.
    Agency,
    /// A word for a workplace, such as "hotel", before or after its name.
    House,
    /// A word for a product, a brand or an owner, beside "our".
    Our,
}

/// Each phrase by its last word, with its other words. A phrase that precedes a name is found by
/// its first word.
pub(super) type Phrases = FxHashMap<&'static str, Vec<(Vec<&'static str>, Phrase)>>;

pub(super) static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let mut phrases = Phrases::default();
    let lines = lines(include_str!("../tables/related.txt"));
    let words = lines.flat_map(|(heading, line)| {
        // These headings have words, the others one phrase a line.
        let each = matches!(heading, "HOUSE" | "OUR")
            .then(move || listed(line).map(move |it| (heading, it)));
        let whole = each.is_none().then_some((heading, line));
        each.into_iter().flatten().chain(whole)
    });
    for (heading, phrase) in words {
        let mut words: Vec<_> = listed(phrase).collect();
        let kind = match heading {
            "STRONG" => Phrase::Strong,
            "LIST" => Phrase::List,
            "CLIENT" => Phrase::Client,
            "WEAK" => Phrase::Weak,
            "GROUP" => Phrase::Group,
            "LOWER" => Phrase::Lower,
            "AFTER" => Phrase::After,
            "AGENCY" => Phrase::Agency,
            "HOUSE" => Phrase::House,
            "OUR" => Phrase::Our,
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
