//! The meanings of single words: one lookup for each word of a text.

use std::sync::LazyLock;

use bitflags::bitflags;
use rustc_hash::FxHashMap;

use super::vocabulary::lines;

bitflags! {
    /// The headings of the tables have these names; `tables/cues.txt` explains them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Cues: u32 {
        /// The first ten mark a small word (article, preposition) of a family of languages.
        const ENGLISH = 1;
        const GERMANIC = 1 << 1;
        const NORDIC = 1 << 2;
        const ROMANCE = 1 << 3;
        const ROMANIAN = 1 << 4;
        const FINNIC = 1 << 5;
        const HUNGARIAN = 1 << 6;
        const SLAVIC = 1 << 7;
        const BALTIC = 1 << 8;
        const TURKISH = 1 << 9;
        const GENERIC = 1 << 10;
        const LEGAL = 1 << 11;
        const VERB = 1 << 12;
        const GIVEN = 1 << 13;
        const PERSON = 1 << 14;
        const TITLE = 1 << 15;
        const STREET_BEFORE = 1 << 16;
        const STREET_AFTER = 1 << 17;
        const UNIT = 1 << 18;
        const ADDRESS = 1 << 19;
        const ID = 1 << 20;
        const HANDLE = 1 << 21;
        const AT = 1 << 22;
        const DOT = 1 << 23;
        const PHONE = 1 << 24;
        const SMALL = 1 << 25;
        const AFFIX = 1 << 26;
        const PLACE = 1 << 27;
        const PARTNERS = 1 << 28;
        const ADJECTIVE = 1 << 29;
        const CLOSING = 1 << 30;
        const REGION = 1 << 31;
    }
}

impl Cues {
    pub(crate) const LANGUAGES: Self = Self::from_bits_truncate((1 << 10) - 1);
}

pub(crate) fn of(lower: &str) -> Cues {
    TABLE.get(lower).copied().unwrap_or_default()
}

pub(crate) fn are_of(lower: &str, cues: Cues) -> bool {
    of(lower).intersects(cues)
}

const TABLES: [&str; 10] = [
    include_str!("tables/generic.txt"),
    include_str!("tables/trades.txt"),
    include_str!("tables/adjectives.txt"),
    include_str!("tables/peoples.txt"),
    include_str!("tables/regions.txt"),
    include_str!("tables/legal.txt"),
    include_str!("tables/given_names.txt"),
    include_str!("tables/verbs.txt"),
    include_str!("tables/cues.txt"),
    include_str!("tables/languages.txt"),
];

static TABLE: LazyLock<FxHashMap<&'static str, Cues>> = LazyLock::new(|| {
    let mut table = FxHashMap::default();
    for (heading, words) in TABLES.into_iter().flat_map(lines) {
        // A test checks that headings consist of cue names.
        let cues = bitflags::parser::from_str(heading).unwrap_or_default();
        for word in words.split_ascii_whitespace() {
            *table.entry(word).or_default() |= cues;
        }
    }
    table
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        for (heading, words) in TABLES.into_iter().flat_map(lines) {
            let cues = bitflags::parser::from_str::<Cues>(heading);
            let cues = cues.unwrap_or_else(|error| panic!("[{heading}]: {error}"));
            assert!(!cues.is_empty() || words.is_empty(), "{words}");
        }
        for (name, cue) in Cues::all().iter_names() {
            assert!(TABLE.values().any(|cues| cues.contains(cue)), "{name}");
        }
        assert!(are_of("gmbh", Cues::LEGAL) && are_of("ооо", Cues::LEGAL));
        assert!(are_of("bakery", Cues::GENERIC) && are_of("piekarnia", Cues::GENERIC));
        assert!(are_of("und", Cues::GERMANIC) && !are_of("und", Cues::ENGLISH));
        assert!(are_of("ansprechpartner", Cues::PERSON));
        assert!(of("агнешка").is_empty());
    }

    #[test]
    fn words_of_tables_are_in_lower_case() {
        for word in TABLE.keys() {
            assert_eq!(*word, word.to_lowercase(), "{word}");
        }
    }
}
