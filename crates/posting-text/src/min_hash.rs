//! `MinHash` signatures, which are nearly the same for nearly the same texts.
//!
//! A signature is made of the runs of three words (shingles). The share of equal values estimates
//! the Jaccard index of the runs. Words with digits do not count: reference numbers, dates and
//! amounts differ between copies.

use crate::{Budget, Exceeded, Result};

/// The number of values of a signature.
pub const LENGTH: usize = 64;

const RUN: usize = 3;

/// The signature of a text. It is stored, so its calculation must not change.
pub type MinHash = [u16; LENGTH];

/// The signature of a visible text; `None` if it has no words.
pub fn min_hash(text: &str, budget: &Budget) -> Result<Option<MinHash>, Exceeded> {
    budget.spend(text.len())?;
    let words = words(text);
    budget.spend(words.len().saturating_mul(LENGTH))?;
    if words.is_empty() {
        return Ok(None);
    }
    let hash = |run: &[u64]| run.iter().fold(0, |hash, word| mixed(hash ^ word));
    let runs: Vec<u64> = words.windows(RUN.min(words.len())).map(hash).collect();
    let least = FUNCTIONS.map(|(factor, offset)| {
        let of = |run: &u64| run.wrapping_mul(factor).wrapping_add(offset);
        runs.iter().map(of).fold(u64::MAX, u64::min)
    });
    // The highest bits of least values are mostly zeros.
    let value = |least: u64| {
        let [_, _, first, second, ..] = least.to_le_bytes();
        u16::from_le_bytes([first, second])
    };
    Ok(Some(least.map(value)))
}

/// Words with digits are left out. A character of a script without spaces is a word.
fn words(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    let mut word = Word::default();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            word.add(c.to_ascii_lowercase());
        } else if !c.is_alphanumeric() {
            word.end(&mut words);
        } else if is_unspaced(c) {
            word.end(&mut words);
            word.add(c);
            word.end(&mut words);
        } else {
            c.to_lowercase().for_each(|c| word.add(c));
        }
    }
    word.end(&mut words);
    words
}

#[derive(Default)]
struct Word {
    hash: u64,
    has_letters: bool,
    has_digits: bool,
}

impl Word {
    fn add(&mut self, c: char) {
        self.hash = mixed(self.hash ^ u64::from(c));
        self.has_letters |= !c.is_numeric();
        self.has_digits |= c.is_numeric();
    }

    fn end(&mut self, words: &mut Vec<u64>) {
        let word = std::mem::take(self);
        if word.has_letters && !word.has_digits {
            words.push(word.hash);
        }
    }
}

const fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Factors and offsets of the hash functions; factors are odd.
static FUNCTIONS: [(u64, u64); LENGTH] = functions();

const fn functions() -> [(u64, u64); LENGTH] {
    let mut functions = [(0, 0); LENGTH];
    let mut state = 0;
    let mut at = 0;
    while at < LENGTH {
        state = mixed(state);
        let factor = state | 1;
        state = mixed(state);
        functions[at] = (factor, state);
        at += 1;
    }
    functions
}

/// A step of the generator `SplitMix64`.
pub(crate) const fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<MinHash> {
        min_hash(text, &Budget::unlimited()).unwrap()
    }

    fn agreement(one: &str, other: &str) -> usize {
        let (one, other) = (of(one).unwrap(), of(other).unwrap());
        one.iter().zip(other).filter(|(a, b)| **a == *b).count()
    }

    fn text(words: usize, seed: usize) -> String {
        let word = |n: usize| format!("{} ", radix(n * 7919 + seed));
        (0..words).map(word).collect()
    }

    fn radix(mut n: usize) -> String {
        let mut word = String::new();
        while n > 0 {
            word.extend(char::from_digit(u32::try_from(n % 16).unwrap() + 10, 36));
            n /= 16;
        }
        word
    }

    #[test]
    fn a_signature_stays_what_it_is() {
        let signature = of("We look for a cook. Evenings, good pay.").unwrap();
        assert_eq!(signature[..4], [3929, 3181, 36751, 31784]);
    }

    #[test]
    fn markup_case_and_numbers_do_not_count() {
        let signature = of("A cook for our kitchen, ref. X4711, 40 hours, Oslo");
        assert_eq!(
            signature,
            of("a COOK\n\nfor our  kitchen ref Z9 hours; oslo")
        );
        assert_ne!(signature, of("a cook for our kitchen ref hours bergen"));
    }

    #[test]
    fn short_texts_and_scripts_without_spaces_have_signatures() {
        for (none, some) in [("", "a"), (" 12 - 4711", "a b"), ("…", "料理人を募集")] {
            assert_eq!(of(none), None, "{none}");
            assert!(of(some).is_some(), "{some}");
        }
        let long = "料理人を募集しています。経験は問いません。";
        assert!(agreement(long, &long.replace("募集", "急募")) > 20);
    }

    #[test]
    fn equal_values_estimate_what_texts_have_in_common() {
        let base = text(600, 1);
        for (other, common) in [
            (base.clone(), 64..=64),
            (format!("{base} {}", text(30, 500_000)), 56..=64),
            (text(540, 1), 52..=62),
            (text(300, 1), 22..=42),
            (text(600, 900_000), 0..=6),
        ] {
            let found = agreement(&base, &other);
            assert!(common.contains(&found), "{found} is not in {common:?}");
        }
    }

    #[test]
    fn a_signature_is_paid_for() {
        let text = text(600, 1);
        let budget = Budget::unlimited();
        min_hash(&text, &budget).unwrap();
        let spent = usize::try_from(budget.spent()).unwrap();
        assert!(spent >= text.len() + 600 * LENGTH);
        assert_eq!(min_hash(&text, &Budget::new(100, 0)), Err(Exceeded::Steps));
    }
}
