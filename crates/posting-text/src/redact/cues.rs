//! What single words are signs of: one look-up for each word of a text.
//!
//! The tables are in `tables`, one for each subject.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::LazyLock,
};

use super::vocabulary::{AFFIXES, PARTNERS, SMALL_WORDS};

/// A set of signs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cues(u32);

impl Cues {
    /// The families of languages, of which the word is a small one.
    pub(crate) const FAMILIES: [(&'static str, Self); 10] = [
        ("english", Self::ENGLISH),
        ("germanic", Self::GERMANIC),
        ("nordic", Self::NORDIC),
        ("romance", Self::ROMANCE),
        ("romanian", Self::ROMANIAN),
        ("finnic", Self::FINNIC),
        ("hungarian", Self::HUNGARIAN),
        ("slavic", Self::SLAVIC),
        ("baltic", Self::BALTIC),
        ("turkish", Self::TURKISH),
    ];
    /// All families.
    pub(crate) const LANGUAGES: Self = Self((1 << 10) - 1);
    pub(crate) const ENGLISH: Self = Self(1);
    pub(crate) const GERMANIC: Self = Self(1 << 1);
    pub(crate) const NORDIC: Self = Self(1 << 2);
    pub(crate) const ROMANCE: Self = Self(1 << 3);
    pub(crate) const ROMANIAN: Self = Self(1 << 4);
    pub(crate) const FINNIC: Self = Self(1 << 5);
    pub(crate) const HUNGARIAN: Self = Self(1 << 6);
    pub(crate) const SLAVIC: Self = Self(1 << 7);
    pub(crate) const BALTIC: Self = Self(1 << 8);
    pub(crate) const TURKISH: Self = Self(1 << 9);
    /// An ordinary word that companies are named with.
    pub(crate) const GENERIC: Self = Self(1 << 10);
    /// A legal form.
    pub(crate) const LEGAL: Self = Self(1 << 11);
    /// A word that begins the predicate of a sentence about a company.
    pub(crate) const VERB: Self = Self(1 << 12);
    /// A given name.
    pub(crate) const GIVEN: Self = Self(1 << 13);
    /// A person to ask comes next.
    pub(crate) const PERSON: Self = Self(1 << 14);
    /// A form of address.
    pub(crate) const TITLE: Self = Self(1 << 15);
    /// A street, before its name.
    pub(crate) const STREET_BEFORE: Self = Self(1 << 16);
    /// A street, after its name.
    pub(crate) const STREET_AFTER: Self = Self(1 << 17);
    /// A part of a house.
    pub(crate) const UNIT: Self = Self(1 << 18);
    /// A street address comes next.
    pub(crate) const ADDRESS: Self = Self(1 << 19);
    /// A number of a register, a tax office or a bank comes next.
    pub(crate) const ID: Self = Self(1 << 20);
    /// A name in a messenger or a network comes next.
    pub(crate) const HANDLE: Self = Self(1 << 21);
    /// The at sign of an e-mail address.
    pub(crate) const AT: Self = Self(1 << 22);
    /// The full stop of a domain.
    pub(crate) const DOT: Self = Self(1 << 23);

    /// A telephone number comes next.
    pub(crate) const PHONE: Self = Self(1 << 24);
    /// A small word, which acronyms leave out.
    pub(crate) const SMALL: Self = Self(1 << 25);
    /// A word around a name that is no part of it, such as `Group`.
    pub(crate) const AFFIX: Self = Self(1 << 26);

    /// A place or a people.
    pub(crate) const PLACE: Self = Self(1 << 27);
    /// An adjective in names; what follows it is no name without it.
    pub(crate) const ADJECTIVE: Self = Self(1 << 29);
    /// Those whom a firm is named with besides its first name: partners, sons.
    pub(crate) const PARTNERS: Self = Self(1 << 28);

    /// A greeting at the end of a letter, before the name of its writer.
    pub(crate) const CLOSING: Self = Self(1 << 30);

    /// A region, which companies are named after.
    pub(crate) const REGION: Self = Self(1 << 31);

    const SECTIONS: [(&'static str, Self); 12] = [
        ("closing", Self::CLOSING.or(Self::PERSON)),
        ("person", Self::PERSON),
        ("title", Self::TITLE),
        ("streetbefore", Self::STREET_BEFORE),
        ("streetafter", Self::STREET_AFTER),
        ("unit", Self::UNIT),
        ("address", Self::ADDRESS),
        ("id", Self::ID),
        ("handle", Self::HANDLE),
        ("phone", Self::PHONE),
        ("at", Self::AT),
        ("dot", Self::DOT),
    ];

    /// Whether the word has one of these signs.
    pub(crate) const fn has(self, signs: Self) -> bool {
        self.0 & signs.0 != 0
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The signs of a word in lower case.
pub(crate) fn of(lower: &str) -> Cues {
    TABLE.get(lower).copied().unwrap_or_default()
}

type Table = HashMap<&'static str, Cues, BuildHasherDefault<Fx>>;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    let whole: [(&str, Cues); 14] = [
        (include_str!("tables/generic.txt"), Cues::GENERIC),
        (include_str!("tables/generic_more.txt"), Cues::GENERIC),
        (include_str!("tables/trades.txt"), Cues::GENERIC),
        (include_str!("tables/trades_more.txt"), Cues::GENERIC),
        (
            include_str!("tables/adjectives.txt"),
            Cues::GENERIC.or(Cues::ADJECTIVE),
        ),
        (
            include_str!("tables/peoples.txt"),
            Cues::GENERIC.or(Cues::PLACE),
        ),
        (include_str!("tables/regions.txt"), Cues::REGION),
        (include_str!("tables/legal.txt"), Cues::LEGAL),
        (include_str!("tables/given_names.txt"), Cues::GIVEN),
        (include_str!("tables/given_names_more.txt"), Cues::GIVEN),
        (include_str!("tables/verbs.txt"), Cues::VERB),
        (SMALL_WORDS, Cues::SMALL),
        (AFFIXES, Cues::AFFIX),
        (PARTNERS, Cues::PARTNERS.or(Cues::GENERIC)),
    ];
    for (words, cue) in whole {
        for line in lines(words) {
            add(&mut table, line.split_whitespace(), cue);
        }
    }
    let sections = Cues::SECTIONS.into_iter().chain(Cues::FAMILIES);
    let sections: HashMap<&str, Cues> = sections.collect();
    let mut section = Cues::default();
    let cues = lines(include_str!("tables/cues.txt"));
    for line in cues.chain(lines(include_str!("tables/languages.txt"))) {
        let mut words = line.split_whitespace().peekable();
        let name = words.peek().and_then(|word| word.strip_prefix('['));
        if let Some(name) = name.and_then(|name| name.strip_suffix(']')) {
            section = sections.get(name).copied().unwrap_or_default();
            words.next();
        }
        add(&mut table, words, section);
    }
    table
});

/// The lines of a table that are no comments.
fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

fn add(table: &mut Table, words: impl Iterator<Item = &'static str>, cue: Cues) {
    for word in words {
        let known = table.entry(word).or_default();
        *known = known.or(cue);
    }
}

/// A hash for short words of a fixed table, which nobody can choose: `FxHash`, as rustc uses it.
#[derive(Clone, Copy, Default)]
struct Fx(u64);

impl Hasher for Fx {
    fn write(&mut self, bytes: &[u8]) {
        const SEED: u64 = 0x51_7c_c1_b7_27_22_0a_95;
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(SEED);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        assert!(of("gmbh").has(Cues::LEGAL) && of("ооо").has(Cues::LEGAL));
        assert!(of("bakery").has(Cues::GENERIC) && of("piekarnia").has(Cues::GENERIC));
        assert!(of("und").has(Cues::GERMANIC) && !of("und").has(Cues::ENGLISH));
        assert!(of("ansprechpartner").has(Cues::PERSON));
        assert!(of("агнешка").is_empty());
        for (name, cue) in Cues::SECTIONS.into_iter().chain(Cues::FAMILIES) {
            assert!(TABLE.values().any(|cues| cues.has(cue)), "{name}");
        }
    }

    #[test]
    fn words_of_tables_are_in_lower_case() {
        for word in TABLE.keys() {
            assert_eq!(*word, word.to_lowercase(), "{word}");
        }
    }
}
