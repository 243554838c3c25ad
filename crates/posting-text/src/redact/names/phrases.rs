//! Phrases that a text puts between a company and another, such as "part of".

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::redact::vocabulary::{List, lines, listed};

/// Beside a product, a brand, an owner or a house of the employer.
pub(super) static OUR: List = List::new(include_str!("../tables/related_our.txt"));

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
    /// "Our" itself, or a word for a range of products.
    Thing,
}

/// Each phrase by its last word, with its other words. A phrase that precedes a name is found by
/// its first word.
pub(super) type Phrases = FxHashMap<&'static str, Vec<(Vec<&'static str>, Phrase)>>;

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let mut phrases = Phrases::default();
    let lines = lines(include_str!("../tables/related.txt"));
    let words = lines.flat_map(|(heading, line)| {
        // These headings have words, the others one phrase a line.
        let each = matches!(heading, "HOUSE" | "OUR" | "THING")
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
            "THING" => Phrase::Thing,
            _ => Phrase::AfterOwn,
        };
        if matches!(kind, Phrase::After | Phrase::AfterOwn) {
            words.reverse();
        }
        if let Some(last) = words.pop() {
            phrases.entry(last).or_default().push((words, kind));
        }
    }
    for our in OUR.words() {
        phrases
            .entry(our)
            .or_default()
            .push((Vec::new(), Phrase::Thing));
    }
    phrases
});

/// The phrases that end in a word or, in `our Eismarke`, in the second part of it.
pub(super) fn phrases_of(lower: &str) -> Option<&'static Vec<(Vec<&'static str>, Phrase)>> {
    static PARTS: List = List::new(include_str!("../tables/related_second_parts.txt"));
    /// The shortest compound: "Teemarke".
    const MIN_LENGTH: usize = 7;
    let second = || {
        if lower.len() < MIN_LENGTH {
            return None;
        }
        let first = PARTS.without_ending(lower).filter(|it| it.len() > 2)?;
        PHRASES.get(&lower[first.len()..])
    };
    PHRASES.get(lower).or_else(second)
}
