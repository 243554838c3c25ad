//! A linear model that tells pages from ads.
//!
//! A text is the set of its features: the words, and the groups of characters of each word. The
//! model has a weight for each feature, so a text is scored by the sum of the weights of its
//! features. The tests find the weights from labelled texts.

#[cfg(test)]
mod tests;

use super::refusal::Refusal;
use crate::{min_hash::mixed, redact::is_unspaced};

/// Features share a weight if the first bits of their hashes are equal.
const BITS: u32 = 17;
/// There are fewer texts of each kind of page, so fewer weights are enough for kinds.
const KIND_BITS: u32 = 14;
const PAGE_WEIGHTS: usize = 1 << BITS;
const KIND_WEIGHTS: usize = 1 << KIND_BITS;
/// The weight of a feature that every text has comes after the others.
const LENGTH: usize = PAGE_WEIGHTS + 1 + KINDS.len() * (KIND_WEIGHTS + 1);
/// A weight of one, as it is stored.
const ONE: f64 = 32.0;

static WEIGHTS: &[u8; LENGTH] = include_bytes!("model/weights.bin");

const KINDS: [Refusal; 5] = [
    Refusal::Closed,
    Refusal::LoginWall,
    Refusal::ErrorPage,
    Refusal::NoContent,
    Refusal::Navigation,
];

/// The distinct features of a text, each the first [`BITS`] bits of its hash.
pub(super) struct Features(Vec<usize>);

impl Features {
    pub(super) fn of(text: &str) -> Self {
        let mut all = Vec::new();
        for_each_word(text, |word| add_features(word, &mut all));
        all.sort_unstable();
        all.dedup();
        Self(all)
    }

    /// How much the text looks like a page; below zero, it rather looks like an ad. A long text
    /// must have more of a page than a short one.
    pub(super) fn score(&self) -> f64 {
        const SHORT: f64 = 300.0;
        self.sum(&WEIGHTS[..=PAGE_WEIGHTS]) * (SHORT / self.count()).sqrt().min(1.0)
    }

    /// The most likely kind of a page.
    pub(super) fn kind(&self) -> Refusal {
        let coarse = self.coarse();
        let kinds = WEIGHTS[PAGE_WEIGHTS + 1..].chunks_exact(KIND_WEIGHTS + 1);
        let scores = KINDS
            .into_iter()
            .zip(kinds.map(|weights| coarse.sum(weights)));
        let best = scores.max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(Refusal::NoContent, |(kind, _)| kind)
    }

    /// The first [`KIND_BITS`] bits of each feature.
    fn coarse(&self) -> Self {
        let mut all: Vec<_> = self.0.iter().map(|it| it >> (BITS - KIND_BITS)).collect();
        all.dedup();
        Self(all)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "there are fewer than 2^52 features"
    )]
    fn count(&self) -> f64 {
        self.0.len().max(1) as f64
    }

    fn sum(&self, weights: &[u8]) -> f64 {
        let weight = |at: usize| i32::from(weights[at].cast_signed());
        let sum: i32 = self.0.iter().map(|feature| weight(*feature)).sum();
        (f64::from(sum) / self.count().sqrt() + f64::from(weight(weights.len() - 1))) / ONE
    }
}

/// Calls for each run of letters and digits, and for each other sign alone, in lower case. Digits
/// become `0`.
fn for_each_word(text: &str, mut each: impl FnMut(&[char])) {
    let mut word = Vec::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            word.push(if c.is_numeric() { '0' } else { c });
            continue;
        }
        if !word.is_empty() {
            each(&word);
            word.clear();
        }
        if !c.is_whitespace() && !c.is_control() {
            each(&[c]);
        }
    }
    if !word.is_empty() {
        each(&word);
    }
}

fn add_features(word: &[char], all: &mut Vec<usize>) {
    /// The start of the hash of a whole word.
    const WHOLE: u64 = 1;
    let is_unspaced = word.iter().any(|c| is_unspaced(*c));
    let padded: Vec<char>;
    let (chars, lengths) = if is_unspaced {
        (word, 1..=3)
    } else {
        all.push(bucket(
            word.iter().fold(WHOLE, |so_far, c| hash(so_far, *c)),
        ));
        padded = [&[' '], word, &[' ']].concat();
        (&*padded, 3..=5)
    };
    for at in 0..chars.len() {
        let mut so_far = 0;
        for (length, c) in (1..=*lengths.end()).zip(&chars[at..]) {
            so_far = hash(so_far, *c);
            if lengths.contains(&length) {
                all.push(bucket(so_far));
            }
        }
    }
}

fn hash(so_far: u64, c: char) -> u64 {
    mixed(so_far ^ u64::from(u32::from(c)))
}

fn bucket(hash: u64) -> usize {
    (hash >> (u64::BITS - BITS)) as usize
}
