//! The features of a token: itself, its neighbours, its line, and its other uses in the text.

use rustc_hash::FxHashMap;

use super::token::{KNOWN, SIGN, Token, hash, with_letter};
use crate::{
    Posting,
    min_hash::mixed,
    redact::{
        Hidden, Kind,
        cues::Cues,
        person::{is_given_name, is_role},
        script::is_unspaced,
        words::{self, Word, unaccented},
    },
};

/// A neighbour beyond the text.
const OUTSIDE: Seen = Seen {
    word: 7,
    shape: 7,
    cues: 0,
    known: 0,
    head: 0,
    tail: 0,
};
/// Neighbours whose words are features.
const NEAR: isize = 3;
/// Words before and after in the same line.
const BEFORE: usize = 8;
const AFTER: usize = 5;
/// The most parts of addresses that words are compared with.
const MAX_ADDRESSES: usize = 24;
/// Small words and languages tell nothing about a neighbour.
const NO_CUES: Cues = Cues::LANGUAGES.union(Cues::SMALL);

/// The parts of a token that its neighbours see.
#[derive(Clone, Copy)]
struct Seen {
    word: u64,
    shape: u64,
    cues: u32,
    /// A bit for each answer to a question about the word.
    known: u64,
    /// A hash of the first letters.
    head: u64,
    /// A hash of the last letters.
    tail: u64,
}

#[derive(Clone, Default)]
struct Line {
    /// The kinds of contacts in it, a bit for each.
    contacts: u64,
}

/// How a word occurs in the text.
#[derive(Clone, Copy, Default)]
struct Uses {
    is_lower: bool,
    count: u64,
}

pub(super) struct Features<'a> {
    tokens: &'a [Token<'a>],
    seen: Vec<Seen>,
    lines: Vec<Line>,
    uses: FxHashMap<&'a str, Uses>,
    /// Parts of the e-mail addresses and links, without accents.
    addresses: Vec<String>,
}

impl<'a> Features<'a> {
    pub(super) fn new(
        text: &'a str,
        tokens: &'a [Token<'a>],
        words: &'a [Word<'a>],
        found: &[Hidden],
        posting: &Posting<'a>,
    ) -> Self {
        let mut uses: FxHashMap<&str, Uses> = FxHashMap::default();
        for word in words {
            let of = uses.entry(&word.lower).or_default();
            of.is_lower |= !word.is_upper();
            of.count += 1;
        }
        let mut lines = vec![Line::default(); tokens.last().map_or(0, |last| last.line) + 1];
        for token in tokens {
            if (KNOWN..KNOWN + 10).contains(&token.shape) {
                lines[token.line].contacts |= 1 << (token.shape - KNOWN);
            }
            if token.cues.intersects(Cues::PHONE) {
                lines[token.line].contacts |= 1 << 10;
            }
        }
        let ids = |text: &str| -> Vec<u64> {
            words::words(text)
                .iter()
                .map(|word| hash(&word.lower))
                .collect()
        };
        let known = [
            ids(posting.company_name),
            ids(posting.city.unwrap_or_default()),
            ids(posting.title),
        ];
        let answers = |token: &Token<'_>| {
            if !token.is_word() {
                return 0;
            }
            let is_listed = known.iter().map(|ids| ids.contains(&token.id));
            let answers = is_listed.chain([
                token.is_upper && is_given_name(&token.lower, token.cues),
                is_role(&token.lower),
            ]);
            answers.fold(0, |bits, is_it| bits << 1 | u64::from(is_it))
        };
        let is_address = |it: &&Hidden| matches!(it.kind, Kind::Email | Kind::Link | Kind::Handle);
        let parts = found
            .iter()
            .filter(is_address)
            .flat_map(|it| text[it.range.clone()].split(|c: char| !c.is_alphanumeric()));
        Self {
            tokens,
            seen: tokens
                .iter()
                .map(|token| Seen::new(token, answers(token)))
                .collect(),
            lines,
            uses,
            addresses: parts
                .filter(|it| it.len() > 2)
                .take(MAX_ADDRESSES)
                .map(|it| unaccented(&it.to_lowercase()))
                .collect(),
        }
    }

    fn at(&self, at: usize, distance: isize) -> Seen {
        let at = at.checked_add_signed(distance);
        at.and_then(|at| self.seen.get(at))
            .copied()
            .unwrap_or(OUTSIDE)
    }

    /// Calls for each feature of a token: a template, and its value in this text.
    pub(super) fn for_each(&self, at: usize, mut each: impl FnMut(u64, u64)) {
        let token = &self.tokens[at];
        let own = self.seen[at];
        let [before, after] = [self.at(at, -1), self.at(at, 1)];
        let [first, last] = [self.at(at, -2), self.at(at, 2)];
        let [far, further] = [self.at(at, -3), self.at(at, 3)];
        let with_shape = |value: u64| mixed(value) ^ own.shape;
        let shapes = |all: [Seen; 3]| all.iter().fold(0, |sum, it| sum << 16 | it.shape);
        each(0, 0);
        for (template, distance) in (1..).zip(-NEAR..=NEAR) {
            each(template, self.at(at, distance).word);
        }
        for (template, distance) in (10..).zip(-2..=2) {
            let near = self.at(at, distance);
            each(template, near.shape);
            each(template + 10, near.shape << 16 | own.shape);
            if distance != 0 {
                each(template + 20, near.head);
                each(template + 30, near.tail);
                each(template + 40, with_shape(near.head));
            }
            each(template + 110, near.known);
            each(template + 120, near.known << 16 | own.shape);
            let mut cues = near.cues;
            while cues != 0 {
                let cue = u64::from(cues.trailing_zeros());
                each(template + 50, cue);
                if distance != 0 {
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
        each(87, mixed(before.word) ^ after.word);
        each(88, with_shape(mixed(first.word) ^ before.word));
        if token.lower.starts_with(is_unspaced) {
            let of = |all: [Seen; 3]| all.iter().fold(0, |so_far, it| mixed(so_far ^ it.word));
            each(98, of([first, before, own]));
            each(99, of([before, own, after]));
            each(97, of([own, after, last]));
            each(96, mixed(mixed(first.word) ^ before.word));
            each(105, mixed(mixed(after.word) ^ last.word));
            each(89, mixed(before.word) ^ own.word);
            each(90, mixed(own.word) ^ after.word);
        } else if token.shape < SIGN {
            for (length, part) in (2..=5).flat_map(|length| affixes(&token.lower, length)) {
                each(90 + length, part);
            }
        }
        self.line(at, &mut each);
        if token.is_word() {
            self.document(token, own, &mut each);
        }
    }

    fn line(&self, at: usize, each: &mut impl FnMut(u64, u64)) {
        let (token, own) = (&self.tokens[at], self.seen[at]);
        let is_near = |at: &usize| self.tokens[*at].line == token.line;
        let is_named = |at: &usize| self.tokens[*at].is_word() || !self.tokens[*at].is_open();
        let before = (0..at).rev().take(BEFORE).take_while(is_near);
        for near in before.filter(is_named) {
            each(100, self.seen[near].head);
        }
        let after = (at + 1..self.tokens.len()).take(AFTER).take_while(is_near);
        for near in after.filter(is_named) {
            each(101, self.seen[near].head);
        }
        let mut contacts = self.lines[token.line].contacts;
        while contacts != 0 {
            each(102, u64::from(contacts.trailing_zeros()) << 16 | own.shape);
            contacts &= contacts - 1;
        }
        let place = 10 * at / self.tokens.len();
        each(103, (place as u64) << 16 | own.shape);
        let below = (self.lines.len() - token.line).min(6);
        each(104, (below as u64) << 16 | own.shape);
    }

    fn document(&self, token: &Token<'_>, own: Seen, each: &mut impl FnMut(u64, u64)) {
        let uses = self.uses.get(&*token.lower).copied().unwrap_or_default();
        let is_lower = u64::from(uses.is_lower) << 3;
        each(110, own.shape << 16 | is_lower | uses.count.min(4));
        if !token.is_upper || self.addresses.is_empty() {
            return;
        }
        let plain = unaccented(&token.lower);
        let is_long = plain.chars().nth(3).is_some();
        let stem = plain
            .char_indices()
            .nth(5)
            .map_or(&*plain, |(end, _)| &plain[..end]);
        let is_part = self.addresses.contains(&plain);
        let is_stem = is_long && self.addresses.iter().any(|part| part.contains(stem));
        each(
            112,
            own.shape << 16 | u64::from(is_part) << 1 | u64::from(is_stem),
        );
    }
}

impl Seen {
    fn new(token: &Token<'_>, known: u64) -> Self {
        const HEAD: usize = 4;
        const TAIL: usize = 3;
        let cues = token.cues.difference(NO_CUES).bits();
        let end = token.lower.char_indices().nth(HEAD);
        let start = token.lower.char_indices().nth_back(TAIL - 1);
        Self {
            word: token.id,
            shape: token.shape,
            cues,
            known,
            head: hash(end.map_or(&token.lower, |(end, _)| &token.lower[..end])),
            tail: hash(start.map_or(&token.lower, |(start, _)| &token.lower[start..])),
        }
    }
}

/// The first and the last letters of a word, with its boundary.
fn affixes(lower: &str, length: usize) -> impl Iterator<Item = (u64, u64)> {
    const FIRST: u64 = 1;
    const LAST: u64 = 2;
    let of = |start, letters: &mut dyn Iterator<Item = char>| {
        let part = letters.take(length).fold(start, with_letter);
        (length as u64, part)
    };
    [
        of(FIRST, &mut lower.chars()),
        of(LAST, &mut lower.chars().rev()),
    ]
    .into_iter()
}
