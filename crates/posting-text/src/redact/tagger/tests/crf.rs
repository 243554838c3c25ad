//! Learns a conditional random field by Lafferty and others (2001).
//!
//! Each step follows the regularised leader (FTRL-Proximal, 2013) for one run of tokens, which
//! leaves most weights zero. Wrong tags cost (softmax margin, 2010), so the model rather keeps
//! words.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a place in a list is small, and a weight is rounded to its bytes"
)]

use super::{
    super::*,
    lesson::{Lesson, NONE, Step},
};
use crate::testing::shuffle;

/// How often all examples are read.
const ROUNDS: usize = 16;
/// The length of a step.
const RATE: f32 = 0.3;
/// A weight is zero until its examples have moved it so far.
const THRESHOLD: f32 = 2.0;
/// The cost of a wrong tag, in nats: within a phrase that must stay, in other words, and in a
/// phrase to hide.
const TRAP: f32 = 5.0;
const KEPT: f32 = 4.0;
const HIDDEN: f32 = 3.0;
/// Smaller gradients are left out.
const SMALL: f32 = 1e-3;
/// The score of a tag that a token must not have.
const NEVER: f32 = -1e9;

/// By tag: scores, or probabilities.
type ByTag = [f32; TAGS];

#[derive(Clone, Copy, Default)]
struct Weight {
    value: f32,
    /// The sum of gradients, less the share of the values.
    moved: f32,
    squares: f32,
}

impl Weight {
    fn learn(&mut self, gradient: f32) {
        let before = self.squares.sqrt();
        self.squares += gradient * gradient;
        let after = self.squares.sqrt();
        self.moved += gradient - (after - before) / RATE * self.value;
        let beyond = (self.moved.abs() - THRESHOLD).max(0.0);
        self.value = -beyond.copysign(self.moved) * RATE / (1.0 + after);
    }
}

struct Model {
    features: Vec<[Weight; KINDS.len()]>,
    pairs: [[Weight; TAGS]; TAGS],
}

/// The probabilities of tags and of pairs of tags, summed over the run; its ends have no tag.
struct Marginals {
    tags: Vec<ByTag>,
    pairs: [ByTag; TAGS],
}

impl Marginals {
    /// By the forward-backward algorithm; the sums of each token are scaled to one.
    fn of(scores: &[ByTag], pairs: &[ByTag; TAGS]) -> Self {
        let pairs = pairs.map(|of| of.map(f32::exp));
        let highest = |of: &ByTag| of.iter().copied().fold(f32::MIN, f32::max);
        let own: Vec<ByTag> = scores
            .iter()
            .map(|of| of.map(|score| (score - highest(of)).exp()))
            .collect();
        let mut forward = Vec::with_capacity(own.len());
        let mut last = by_tag(|tag| f32::from(u8::from(tag == 0)));
        for own in &own {
            let sum = |tag: usize| {
                (0..TAGS)
                    .map(|from| last[from] * pairs[from][tag])
                    .sum::<f32>()
            };
            last = scaled(by_tag(|tag| own[tag] * sum(tag)));
            forward.push(last);
        }
        let mut out = Self {
            tags: vec![ByTag::default(); own.len()],
            pairs: [ByTag::default(); TAGS],
        };
        // What follows a token with each tag.
        let mut after = by_tag(|tag| pairs[tag][0]);
        for at in (0..own.len()).rev() {
            let tags = scaled(by_tag(|tag| forward[at][tag] * after[tag]));
            out.tags[at] = tags;
            if at + 1 == own.len() {
                add(
                    &mut out.pairs,
                    |from, tag| if tag == 0 { tags[from] } else { 0.0 },
                );
            }
            let here = by_tag(|tag| own[at][tag] * after[tag]);
            let before = match at.checked_sub(1) {
                Some(before) => forward[before],
                None => by_tag(|tag| f32::from(u8::from(tag == 0))),
            };
            let both = |from: usize, tag: usize| before[from] * pairs[from][tag] * here[tag];
            let all: f32 = (0..TAGS * TAGS).map(|it| both(it / TAGS, it % TAGS)).sum();
            add(&mut out.pairs, |from, tag| both(from, tag) / all);
            after = scaled(by_tag(|tag| {
                (0..TAGS).map(|next| pairs[tag][next] * here[next]).sum()
            }));
        }
        out
    }
}

fn by_tag(of: impl FnMut(usize) -> f32) -> ByTag {
    std::array::from_fn(of)
}

fn scaled(of: ByTag) -> ByTag {
    let sum: f32 = of.iter().sum();
    of.map(|it| it / sum)
}

fn add(sums: &mut [ByTag; TAGS], of: impl Fn(usize, usize) -> f32) {
    for (from, sums) in sums.iter_mut().enumerate() {
        for (tag, sum) in sums.iter_mut().enumerate() {
            *sum += of(from, tag);
        }
    }
}

impl Model {
    fn learn(&mut self, run: &[Step]) {
        let scores: Vec<ByTag> = run.iter().map(|step| self.scored(step)).collect();
        let with = |change: fn(&Step, usize) -> f32| -> Vec<ByTag> {
            let steps = scores.iter().zip(run);
            steps
                .map(|(scores, step)| by_tag(|tag| scores[tag] + change(step, tag)))
                .collect()
        };
        let pairs = self.pairs.map(|of| of.map(|weight| weight.value));
        let right = Marginals::of(
            &with(|step, tag| if step.may_be(tag) { 0.0 } else { NEVER }),
            &pairs,
        );
        let given = Marginals::of(
            &with(|step, tag| match () {
                () if step.may_be(tag) => 0.0,
                () if step.is_trap => TRAP,
                () if step.allowed == NONE => KEPT,
                () => HIDDEN,
            }),
            &pairs,
        );
        for (at, step) in run.iter().enumerate() {
            for kind in 0..KINDS.len() {
                let gradient = given.tags[at][kind + 1] - right.tags[at][kind + 1];
                if gradient.abs() > SMALL {
                    for bucket in &step.buckets {
                        self.features[*bucket][kind].learn(gradient);
                    }
                }
            }
        }
        for (from, tag) in (0..TAGS * TAGS).map(|it| (it / TAGS, it % TAGS)) {
            self.pairs[from][tag].learn(given.pairs[from][tag] - right.pairs[from][tag]);
        }
    }

    fn scored(&self, step: &Step) -> ByTag {
        let mut scores = ByTag::default();
        for bucket in &step.buckets {
            for (score, weight) in scores[1..].iter_mut().zip(&self.features[*bucket]) {
                *score += weight.value;
            }
        }
        scores
    }

    /// The bytes of the weights, without the digest.
    fn bytes(&self) -> Vec<u8> {
        let scaled = |weight: &Weight| (weight.value * NAT).round();
        let features = self.features.iter().flatten();
        let features =
            features.map(|weight| (scaled(weight) + ZERO as f32).clamp(0.0, 255.0) as u8);
        let pairs = self.pairs.iter().flatten();
        let pairs = pairs.flat_map(|weight| (scaled(weight) as i16).to_le_bytes());
        features.chain(pairs).collect()
    }
}

pub(super) fn learned(lessons: &[Lesson]) -> Vec<u8> {
    let mut model = Model {
        features: vec![Default::default(); 1 << BITS],
        pairs: Default::default(),
    };
    let mut order: Vec<usize> = (0..lessons.len()).collect();
    let mut seed = 1;
    for _ in 0..ROUNDS {
        shuffle(&mut order, &mut seed);
        for run in order.iter().flat_map(|at| &lessons[*at].0) {
            model.learn(run);
        }
    }
    model.bytes()
}
