//! The features of a token: itself, its neighbours, its line, and its other uses in the text.

use rustc_hash::FxHashMap;

use super::{
    seen::{HEAD, OF_TITLE, OUTSIDE, Seen, beginning, head},
    senses::{Senses, senses},
    token::{SIGN, Token, ids, with_letter},
};
use crate::{
    Posting, Range,
    redact::{
        script::is_unspaced,
        words::{self, Word},
    },
};

/// The template of a token's own shape.
const OWN: u64 = 12;
/// Words before and after in the same line.
const BEFORE: usize = 8;
const AFTER: usize = 5;
/// The letters of a name that no ending changes.
const STEM: usize = 5;
/// The most other mentions of a name whose neighbours are features.
const MENTIONS: usize = 3;

/// How a word occurs in the text.
#[derive(Clone, Default)]
struct Uses {
    is_lower: bool,
    count: u64,
}

pub(super) struct Features<'a> {
    tokens: &'a [Token<'a>],
    seen: Vec<Seen>,
    lines: Vec<Range>,
    uses: FxHashMap<&'a str, Uses>,
    /// The tokens with a capital, by their stems.
    mentions: FxHashMap<&'a str, Vec<usize>>,
}

impl<'a> Features<'a> {
    pub(super) fn new(
        tokens: &'a [Token<'a>],
        words: &'a [Word<'a>],
        posting: &Posting<'a>,
    ) -> Self {
        let mut uses: FxHashMap<&str, Uses> = FxHashMap::default();
        for word in words {
            let of = uses.entry(&word.lower).or_default();
            of.is_lower |= !word.is_upper();
            of.count += 1;
        }
        let mut mentions: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut lines = vec![0..0; tokens.last().map_or(0, |last| last.line) + 1];
        for (at, token) in tokens.iter().enumerate() {
            if token.is_word() && token.is_upper {
                mentions.entry(stem(&token.lower)).or_default().push(at);
            }
            let line = &mut lines[token.line];
            if line.end == 0 {
                line.start = at;
            }
            line.end = at + 1;
        }
        let own = words::words(posting.company_name);
        let known = [
            ids(&own),
            ids(&words::words(posting.city.unwrap_or_default())),
            ids(&words::words(posting.title)),
        ];
        let long = own
            .iter()
            .filter(|word| word.lower.chars().nth(HEAD).is_some());
        let heads: Vec<u64> = long.map(|word| head(&word.lower)).collect();
        let seen = |(token, senses): (&Token<'_>, Senses)| {
            let mut seen = Seen::new(token, senses);
            if token.is_word() {
                let is_listed = known.iter().map(|ids| ids.contains(&token.id));
                let all = is_listed.chain([heads.contains(&seen.head)]);
                seen.known = all.fold(0, |bits, is_it| bits << 1 | u64::from(is_it));
            }
            seen
        };
        Self {
            tokens,
            seen: tokens.iter().zip(senses(tokens)).map(seen).collect(),
            lines,
            uses,
            mentions,
        }
    }

    fn at(&self, at: usize, distance: isize) -> &Seen {
        let at = at.checked_add_signed(distance);
        at.and_then(|at| self.seen.get(at)).unwrap_or(&OUTSIDE)
    }

    /// Whether the title has the word.
    pub(super) fn is_of_title(&self, at: usize) -> bool {
        self.seen[at].known & OF_TITLE > 0
    }

    /// Calls for each feature of a token: a template, and its value in this text.
    pub(super) fn for_each(&self, at: usize, mut each: impl FnMut(u64, u64)) {
        let token = &self.tokens[at];
        let all = [-3, -2, -1, 0, 1, 2, 3].map(|distance| self.at(at, distance));
        let [far, first, before, own, after, last, further] = all;
        let with_shape = |value: u64| joined(value, own.shape);
        let shapes = |all: [&Seen; 3]| all.iter().fold(0, |sum, it| sum << 16 | it.shape);
        each(0, 0);
        for (template, near) in (1..).zip(all) {
            each(template, near.word);
        }
        for (template, near) in (140..).zip(all) {
            for sense in near.senses.each() {
                each(template, sense);
                each(template + 10, with_shape(sense));
            }
        }
        each(OWN, own.shape);
        for (template, near) in (10..).zip([first, before, own, after, last]) {
            let is_other = template != OWN;
            if is_other {
                each(template + 10, near.shape << 16 | own.shape);
            }
            if template.abs_diff(OWN) == 1 {
                each(template + 20, near.head);
                each(template + 30, near.tail);
                each(template + 40, with_shape(near.head));
            }
            each(template + 120, near.known << 16 | own.shape);
            let mut cues = near.cues;
            while cues != 0 {
                let cue = u64::from(cues.trailing_zeros());
                each(template + 50, cue);
                if is_other {
                    each(template + 60, cue << 16 | own.shape);
                }
                cues &= cues - 1;
            }
        }
        each(80, shapes([before, own, after]));
        each(81, shapes([first, before, own]));
        each(82, shapes([own, after, last]));
        each(83, with_shape(shapes([far, first, before])));
        each(84, with_shape(shapes([after, last, further])));
        each(85, with_shape(before.word));
        each(86, with_shape(after.word));
        each(87, joined(before.word, after.word));
        each(88, with_shape(joined(first.word, before.word)));
        if token.lower.starts_with(is_unspaced) {
            let of = |all: [&Seen; 3]| all.iter().fold(0, |so_far, it| joined(so_far, it.word));
            each(98, of([first, before, own]));
            each(99, of([before, own, after]));
            each(97, of([own, after, last]));
            each(96, joined(first.word, before.word));
            each(105, joined(after.word, last.word));
            each(89, joined(before.word, own.word));
            each(90, joined(own.word, after.word));
        } else if token.shape < SIGN {
            affixes(&token.lower, |length, part| each(90 + length, part));
        }
        self.line(at, &mut each);
        if token.is_word() {
            self.document(at, &mut each);
        }
    }

    fn line(&self, at: usize, each: &mut impl FnMut(u64, u64)) {
        let (token, own) = (&self.tokens[at], &self.seen[at]);
        let line = &self.lines[token.line];
        let before = &self.seen[line.start.max(at.saturating_sub(BEFORE))..at];
        for near in before.iter().filter(|near| near.is_named) {
            each(100, near.head);
        }
        let after = &self.seen[at + 1..line.end.min(at + 1 + AFTER)];
        for near in after.iter().filter(|near| near.is_named) {
            each(101, near.head);
        }
        let place = 10 * at / self.tokens.len();
        each(103, (place as u64) << 16 | own.shape);
        let below = (self.lines.len() - token.line).min(6);
        each(104, (below as u64) << 16 | own.shape);
    }

    fn document(&self, at: usize, each: &mut impl FnMut(u64, u64)) {
        let (token, own) = (&self.tokens[at], &self.seen[at]);
        let Some(uses) = self.uses.get(&*token.lower) else {
            return;
        };
        let is_lower = u64::from(uses.is_lower) << 3;
        each(110, own.shape << 16 | is_lower | uses.count.min(4));
        if !token.is_upper {
            return;
        }
        let mentions = self.mentions.get(stem(&token.lower));
        let others = mentions.into_iter().flatten().filter(|it| **it != at);
        for other in others.take(MENTIONS) {
            let [first, before, after] = [-2, -1, 1].map(|distance| self.at(*other, distance));
            each(106, before.word);
            each(107, joined(before.word, first.word));
            each(108, after.word);
            each(109, after.shape);
        }
    }
}

/// A hash of two values in this order.
const fn joined(first: u64, second: u64) -> u64 {
    first.rotate_left(25) ^ second
}

fn stem(lower: &str) -> &str {
    beginning(lower, STEM)
}

/// The first two to five letters of a word, and the last ones, with its boundary.
fn affixes(lower: &str, mut each: impl FnMut(u64, u64)) {
    const FIRST: u64 = 1;
    const LAST: u64 = 2;
    let mut of = |start, letters: &mut dyn Iterator<Item = char>| {
        let mut part = start;
        for (length, letter) in (1..=5).zip(letters) {
            part = with_letter(part, letter);
            if length > 1 {
                each(length, part);
            }
        }
    };
    of(FIRST, &mut lower.chars());
    of(LAST, &mut lower.chars().rev());
}
