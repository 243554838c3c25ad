//! Finds related companies, persons, addresses and numbers by a model learned from examples.
//!
//! A conditional random field scores each token for each kind by its features, and each pair of
//! neighbours by their kinds; the sequence with the highest score is taken (Viterbi's algorithm).
//! The tests learn the weights.

use std::sync::LazyLock;

mod checked;
mod features;
mod seen;
mod senses;
#[cfg(test)]
mod tests;
mod token;

use self::{
    checked::checked,
    features::Features,
    token::{Token, tokens},
};
use super::{Hidden, Kind, cues::Cues, vocabulary::AND, words::Text};
use crate::{Posting, Range, Result};

const KINDS: [Kind; 5] = [
    Kind::Company,
    Kind::Person,
    Kind::Address,
    Kind::Phone,
    Kind::Id,
];
/// A token has a kind, or none (the first tag).
const TAGS: usize = KINDS.len() + 1;
/// Features share weights if the first bits of their hashes are equal.
const BITS: u32 = 22;
/// A weight for each feature and kind, one for each pair of tags in two bytes, and a digest.
const LENGTH: usize = (KINDS.len() << BITS) + 2 * TAGS * TAGS + 8;
type Weights = [u8; LENGTH];

/// Most are zero, so they are compressed.
#[expect(
    clippy::expect_used,
    reason = "the weights are constant, and a test reads them"
)]
static WEIGHTS: LazyLock<Box<Weights>> = LazyLock::new(|| {
    let weights = include_bytes!("tagger/weights.z");
    let weights = miniz_oxide::inflate::decompress_to_vec_zlib(weights);
    let weights = weights.ok().and_then(|weights| weights.try_into().ok());
    weights.expect("a test reads the weights")
});

/// Tokens farther from a capital, a digit or an uncased script have no kind.
const REACH: usize = 2;
/// The lead that each kind must have over none, in bytes of a weight. The costs of wrong finds make
/// the model too careful, so most are less than none.
const MARGINS: [i32; KINDS.len()] = [10, -60, -44, -40, -20];
/// The further lead of a company whose word the title has: most such words name the work.
const TITLE: i32 = 30;
/// The tag of a company.
const COMPANY: usize = 1;
/// The further score of a company for a name that is joined to one.
const JOINED: i32 = 60;
/// The byte of a weight of zero.
const ZERO: i32 = 128;
/// A weight of one nat, in bytes.
#[cfg(test)]
const NAT: f32 = 20.0;
/// The most features of a token: a lane of 16 bits has room for so many bytes.
const FEATURES: usize = 257;

type Scores = [i32; TAGS];

/// `found` are the finds of the rules, and the words are those outside of them. The families are
/// those of the text's languages.
pub(super) fn tagged(
    on: Text<'_>,
    found: &[Hidden],
    posting: &Posting<'_>,
    families: Cues,
) -> Result<Vec<Hidden>> {
    let (text, words, budget) = on.parts();
    budget.spend(text.len())?;
    let tokens = tokens(text, words, found);
    let features = Features::new(&tokens, words, posting);
    let weights = &**WEIGHTS;
    let pairs = pairs(weights);
    let mut tags = vec![0; tokens.len()];
    let mut all: Vec<(Range, Vec<Scores>)> = Vec::new();
    for run in runs(&tokens) {
        budget.spend(FEATURES * run.len())?;
        let scores = run.clone().map(|at| scored(weights, &features, at));
        let scores: Vec<Scores> = scores.collect();
        tags[run.clone()].copy_from_slice(&best(&scores, &pairs));
        all.push((run, scores));
    }
    let joined = joined(&tokens, &tags);
    for (run, mut scores) in all {
        let from = joined.partition_point(|at| *at < run.start);
        let to = joined.partition_point(|at| *at < run.end);
        if from < to {
            for at in &joined[from..to] {
                scores[*at - run.start][COMPANY] += JOINED;
            }
            tags[run].copy_from_slice(&best(&scores, &pairs));
        }
    }
    let mut out: Vec<Hidden> = Vec::new();
    let mut last = 0;
    for (token, tag) in tokens.iter().zip(tags) {
        if let Some(before) = out.last_mut().filter(|_| tag == last && tag > 0) {
            before.range.end = token.range.end;
        } else if let Some(kind) = tag.checked_sub(1).and_then(|kind| KINDS.get(kind)) {
            let range = token.range.clone();
            out.push(Hidden { range, kind: *kind });
        }
        last = tag;
    }
    Ok(checked(text, out, posting, families))
}

/// The words with a capital that are joined to a company: `Acmera and the hotel [Bellavor]`.
fn joined(tokens: &[Token<'_>], tags: &[usize]) -> Vec<usize> {
    /// The most tokens between a joint and a capital.
    const GAP: usize = 4;
    if !tags.contains(&COMPANY) {
        return Vec::new();
    }
    let is_joint = |at: usize| {
        let token = &tokens[at];
        let is_and = || token.cues.intersects(Cues::SMALL) && AND.contains(&&*token.lower);
        matches!(&*token.lower, "," | "&") || is_and()
    };
    let is_name = |at: &usize| tokens[*at].is_word() && tokens[*at].is_upper;
    let is_between = |at: &usize| tokens[*at].is_open() && !is_joint(*at);
    let mut out: Vec<usize> = Vec::new();
    for joint in (0..tokens.len()).filter(|at| is_joint(*at)) {
        let mut before = (0..joint).rev().take_while(is_between);
        let mut after = (joint + 1..tokens.len()).take_while(is_between);
        let before_name = before.by_ref().take(GAP).find(is_name);
        let after_name = after.by_ref().take(GAP).find(is_name);
        let Some((left, right)) = before_name.zip(after_name) else {
            continue;
        };
        match (tags[left], tags[right]) {
            (COMPANY, 0) => out.extend(std::iter::once(right).chain(after.take_while(is_name))),
            (0, COMPANY) => out.extend(std::iter::once(left).chain(before.take_while(is_name))),
            _ => {}
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// The runs of tokens near a candidate.
fn runs(tokens: &[Token<'_>]) -> Vec<Range> {
    let mut out: Vec<Range> = Vec::new();
    let candidates = (0..tokens.len()).filter(|at| tokens[*at].is_candidate());
    let near = candidates.flat_map(|at| at.saturating_sub(REACH)..=at + REACH);
    for at in near {
        let is_open = tokens.get(at).is_some_and(Token::is_open);
        match out.last_mut() {
            Some(last) if at < last.end => {}
            Some(last) if at == last.end && is_open => last.end += 1,
            _ if is_open => out.push(at..at + 1),
            _ => {}
        }
    }
    out
}

fn scored(weights: &Weights, features: &Features<'_>, at: usize) -> Scores {
    // Two sums of bytes in lanes of 16 bits: of the even kinds, and of the odd ones.
    const LANES: u64 = 0x00ff_00ff_00ff;
    let (mut even, mut odd, mut count) = (0, 0, 0);
    features.for_each(at, |template, value| {
        let first = bucket(template, value) * KINDS.len();
        let weights = weights[first..]
            .first_chunk()
            .copied()
            .map_or(0, u64::from_le_bytes);
        even += weights & LANES;
        odd += weights >> 8 & LANES;
        count += 1;
    });
    debug_assert!(usize::try_from(count).is_ok_and(|it| it <= FEATURES));
    std::array::from_fn(|tag| {
        let Some(kind) = tag.checked_sub(1) else {
            return 0;
        };
        let lanes = if kind % 2 == 0 { even } else { odd };
        let sum = lanes >> (kind / 2 * 16) & 0xffff;
        let title = if kind == 0 && features.is_of_title(at) {
            TITLE
        } else {
            0
        };
        sum as i32 - ZERO * count - MARGINS[kind] - title
    })
}

fn bucket(template: u64, value: u64) -> usize {
    let hash =
        (value ^ template.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (hash >> (u64::BITS - BITS)) as usize
}

fn pairs(weights: &Weights) -> [Scores; TAGS] {
    let weight = |at: usize| {
        let first = (KINDS.len() << BITS) + 2 * at;
        i16::from_le_bytes([weights[first], weights[first + 1]]).into()
    };
    std::array::from_fn(|before| std::array::from_fn(|tag| weight(before * TAGS + tag)))
}

/// The tags of a run between tokens without a kind that have the highest sum of scores.
fn best(scores: &[Scores], pairs: &[Scores; TAGS]) -> Vec<usize> {
    const NOTHING: i32 = i32::MIN / 4;
    let mut sums: Scores = [NOTHING; TAGS];
    sums[0] = 0;
    let mut from: Vec<[usize; TAGS]> = Vec::with_capacity(scores.len());
    for own in scores {
        let mut next = [NOTHING; TAGS];
        let mut came = [0; TAGS];
        for (before, sum) in sums.iter().enumerate() {
            for tag in 0..TAGS {
                let sum = sum + pairs[before][tag];
                if sum > next[tag] {
                    (next[tag], came[tag]) = (sum, before);
                }
            }
        }
        sums = std::array::from_fn(|tag| (next[tag] + own[tag]).max(NOTHING));
        from.push(came);
    }
    let ended = |tag: &usize| sums[*tag] + pairs[*tag][0];
    let mut tag = (0..TAGS).max_by_key(ended).unwrap_or_default();
    let mut out = vec![0; scores.len()];
    for (place, came) in out.iter_mut().zip(from).rev() {
        *place = tag;
        tag = came[tag];
    }
    out
}
