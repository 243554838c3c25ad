//! Finds related companies, persons, addresses and numbers by a model learned from examples.
//!
//! A linear model scores each token for each kind by its features, and each pair of neighbours by
//! their kinds; the sequence with the highest score is taken (Viterbi's algorithm). The tests learn
//! the weights as a structured perceptron (Collins, 2002).

mod features;
#[cfg(test)]
mod tests;
mod token;

use self::{
    features::Features,
    token::{Token, tokens},
};
use super::{Hidden, Kind, words::Text};
use crate::{Posting, Range, Result, min_hash::mixed};

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
const BITS: u32 = 17;
/// A weight for each feature and kind, one for each pair of tags in two bytes, and a digest.
const LENGTH: usize = (KINDS.len() << BITS) + 2 * TAGS * TAGS + 8;

static WEIGHTS: &[u8; LENGTH] = include_bytes!("tagger/weights.bin");

/// Tokens farther from a capital, a digit or an uncased script have no kind.
const REACH: usize = 2;
/// The lead that each kind must have over none, because words are rather kept.
const MARGINS: [i32; KINDS.len()] = [40, 0, 80, 20, 20];
/// The most features of a token.
const FEATURES: usize = 120;

/// Of a telephone number.
const FEWEST_DIGITS: usize = 4;

type Scores = [i32; TAGS];

/// `found` are the finds of the rules, and the words are those outside of them.
pub(super) fn tagged(on: Text<'_>, found: &[Hidden], posting: &Posting<'_>) -> Result<Vec<Hidden>> {
    let (text, words, budget) = on.parts();
    budget.spend(text.len())?;
    let tokens = tokens(text, words, found);
    let features = Features::new(text, &tokens, words, found, posting);
    let pairs = pairs();
    let mut out: Vec<Hidden> = Vec::new();
    for run in runs(&tokens) {
        budget.spend(FEATURES * run.len())?;
        let scores: Vec<Scores> = run.clone().map(|at| scored(&features, at)).collect();
        let mut last = 0;
        for (token, tag) in tokens[run].iter().zip(best(&scores, &pairs)) {
            if let Some(before) = out.last_mut().filter(|_| tag == last && tag > 0) {
                before.range.end = token.range.end;
            } else if let Some(kind) = tag.checked_sub(1).and_then(|kind| KINDS.get(kind)) {
                let range = token.range.clone();
                out.push(Hidden { range, kind: *kind });
            }
            last = tag;
        }
    }
    out.retain_mut(|it| {
        trim(text, it);
        let found = &text[it.range.clone()];
        match it.kind {
            Kind::Company => !found.is_empty() && !is_of_title(found, posting.title),
            Kind::Phone => digits(found) >= FEWEST_DIGITS,
            _ => !found.is_empty(),
        }
    });
    Ok(out)
}

/// Finds telephone numbers only.
pub(super) fn phones(on: Text<'_>, found: &[Hidden], posting: &Posting<'_>) -> Result<Vec<Hidden>> {
    if digits(on.content) < FEWEST_DIGITS {
        return Ok(Vec::new());
    }
    let mut out = tagged(on, found, posting)?;
    out.retain(|it| it.kind == Kind::Phone);
    Ok(out)
}

fn digits(text: &str) -> usize {
    text.chars().filter(|c| c.is_numeric()).count()
}

/// Without signs around it, but with the plus and the parentheses of a number.
fn trim(text: &str, hidden: &mut Hidden) {
    let whole = &text[hidden.range.clone()];
    let start = whole.find(char::is_alphanumeric).unwrap_or(whole.len());
    let end = whole.rfind(char::is_alphanumeric).unwrap_or_default();
    let end = hidden.range.start + whole.ceil_char_boundary(end + 1).min(whole.len());
    let mut start = hidden.range.start + start;
    if hidden.kind == Kind::Phone && start < end {
        let is_open = text[start..end].matches(')').count() > text[start..end].matches('(').count();
        let sign = text[..start].strip_suffix('(').filter(|_| is_open);
        let front = sign.unwrap_or(&text[..start]);
        start = front.strip_suffix('+').unwrap_or(front).len();
    }
    hidden.range = start..end.max(start);
}

/// Words of the title name the work.
fn is_of_title(name: &str, title: &str) -> bool {
    let title = title.to_lowercase();
    let words = title.split(|c: char| !c.is_alphanumeric());
    let mut parts = name.split(|c: char| !c.is_alphanumeric());
    parts.all(|part| part.is_empty() || words.clone().any(|word| word == part.to_lowercase()))
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

fn scored(features: &Features<'_>, at: usize) -> Scores {
    let mut scores = [0; TAGS];
    features.for_each(at, |template, value| {
        let first = bucket(template, value) * KINDS.len();
        let weights = &WEIGHTS[first..first + KINDS.len()];
        for (score, weight) in scores[1..].iter_mut().zip(weights) {
            *score += i32::from(weight.cast_signed());
        }
    });
    for (score, margin) in scores[1..].iter_mut().zip(MARGINS) {
        *score -= margin;
    }
    scores
}

fn bucket(template: u64, value: u64) -> usize {
    let hash = mixed(value ^ template.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (hash >> (u64::BITS - BITS)) as usize
}

fn pairs() -> [Scores; TAGS] {
    let weight = |at: usize| {
        let first = (KINDS.len() << BITS) + 2 * at;
        i16::from_le_bytes([WEIGHTS[first], WEIGHTS[first + 1]]).into()
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
