//! What common words say of the names beside them: `our brand`, `their client`.

use std::sync::LazyLock;

use bitflags::bitflags;
use rustc_hash::FxHashMap;

use super::token::{Token, with_letter};
use crate::redact::{inflect, script::is_unspaced, vocabulary::lines};

bitflags! {
    /// The headings of `tables/senses.txt` have these names.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) struct Senses: u8 {
        /// A group, chain, owner, or investor.
        const GROUP = 1;
        /// To belong to a group, or a company that does.
        const MEMBER = 1 << 1;
        /// Of an agency.
        const CLIENT = 1 << 2;
        const AGENCY = 1 << 3;
        const BRAND = 1 << 4;
        /// A kind of product that has a name: an app, a beer, a boat.
        const PRODUCT = 1 << 5;
        /// A kind of establishment that has a name: a hotel, a school, a works.
        const HOUSE = 1 << 6;
        const OURS = 1 << 7;
    }
}

impl Senses {
    /// The bit of each.
    pub(super) fn each(self) -> impl Iterator<Item = u64> {
        let mut rest = self.bits();
        std::iter::from_fn(move || {
            let lowest = rest & rest.wrapping_neg();
            rest ^= lowest;
            (lowest > 0).then(|| lowest.into())
        })
    }
}

/// The seeds of the hashes of a word, of its beginning, and of its end from its last letter on.
const WHOLE: u64 = 0;
const BEGINNING: u64 = 1;
const END: u64 = 2;
/// The fewest letters of a beginning or an end in the table.
const FEWEST: usize = 3;
/// The most signs of a word in a script without spaces.
const SIGNS: usize = 8;

static TABLE: LazyLock<FxHashMap<u64, Senses>> = LazyLock::new(|| {
    let mut table: FxHashMap<u64, Senses> = FxHashMap::default();
    for (heading, words) in lines(include_str!("../tables/senses.txt")) {
        // A test checks the headings.
        let senses = bitflags::parser::from_str(heading).unwrap_or_default();
        for word in words.split_ascii_whitespace() {
            let key = match (word.strip_suffix('*'), word.strip_prefix('*')) {
                (Some(beginning), _) => beginning.chars().fold(BEGINNING, with_letter),
                (None, Some(end)) => end.chars().rev().fold(END, with_letter),
                (None, None) => word.chars().fold(WHOLE, with_letter),
            };
            *table.entry(key).or_default() |= senses;
        }
    }
    table
});

fn listed(key: u64) -> Senses {
    TABLE.get(&key).copied().unwrap_or_default()
}

/// Of each token.
pub(super) fn senses(tokens: &[Token<'_>]) -> Vec<Senses> {
    let mut out = vec![Senses::empty(); tokens.len()];
    for (at, token) in tokens.iter().enumerate().filter(|(_, it)| it.is_word()) {
        if !token.lower.starts_with(is_unspaced) {
            out[at] = of_word(&token.lower);
            continue;
        }
        let mut key = WHOLE;
        let mut end = token.range.start;
        let signs = tokens[at..].iter().take(SIGNS).take_while(|it| {
            let is_next = it.is_word() && it.range.start == end;
            end = it.range.end;
            is_next
        });
        for (count, sign) in signs.enumerate() {
            key = sign.lower.chars().fold(key, with_letter);
            let senses = listed(key);
            if !senses.is_empty() {
                out[at..=at + count].iter_mut().for_each(|it| *it |= senses);
            }
        }
    }
    out
}

fn of_word(lower: &str) -> Senses {
    let word = |word: &str| listed(word.chars().fold(WHOLE, with_letter));
    let mut out = word(lower);
    for bare in inflect::without_prefix(lower) {
        out |= word(bare);
    }
    out | of_parts(BEGINNING, lower.chars()) | of_parts(END, lower.chars().rev())
}

fn of_parts(seed: u64, letters: impl Iterator<Item = char>) -> Senses {
    let mut key = seed;
    let mut out = Senses::empty();
    for (count, letter) in (1..).zip(letters) {
        key = with_letter(key, letter);
        if count >= FEWEST {
            out |= listed(key);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_senses() {
        let all = lines(include_str!("../tables/senses.txt"));
        for (heading, words) in all {
            let senses = bitflags::parser::from_str::<Senses>(heading);
            let senses = senses.unwrap_or_else(|error| panic!("[{heading}]: {error}"));
            assert!(!senses.is_empty() || words.is_empty(), "{words}");
            assert_eq!(words, words.to_lowercase());
            let is_word = |word: &str| word.trim_matches('*').chars().all(char::is_alphabetic);
            assert!(words.split(' ').all(is_word), "{words}");
            let mut parts = words.split(' ').filter(|word| word.contains('*'));
            assert!(parts.all(|part| part.chars().count() > FEWEST), "{words}");
        }
        for (word, senses) in [
            ("brand", Senses::BRAND),
            ("hotelgruppen", Senses::GROUP),
            ("handelskonzern", Senses::GROUP),
            ("unsere", Senses::OURS),
        ] {
            assert_eq!(of_word(word) & senses, senses, "{word}");
        }
        assert!(of_word("monday").is_empty());
    }
}
