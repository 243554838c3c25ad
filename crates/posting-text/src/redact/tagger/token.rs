//! The tokens of a text: words, numbers, signs, ends of lines, and the finds of the rules.

use std::borrow::Cow;

use crate::{
    Range,
    redact::{
        Hidden,
        cues::{self, Cues},
        script::{Script, is_unspaced},
        words::Word,
    },
};

/// Words, numbers and signs have a shape below [`KNOWN`].
pub(super) const NUMBER: u64 = 1_000;
pub(super) const MIXED: u64 = 2_000;
pub(super) const SIGN: u64 = 3_000;
/// A find of the rules; its kind is added.
const KNOWN: u64 = 4_000;
const LINE_END: u64 = 5_000;
/// No name or number goes on in the next sentence.
const SENTENCE_END: u64 = 6_000;

#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) range: Range,
    /// In lower case; a number has only zeros.
    pub(super) lower: Cow<'a, str>,
    /// A hash of `lower`.
    pub(super) id: u64,
    /// Script, case, length, and the number of digits.
    pub(super) shape: u64,
    pub(super) cues: Cues,
    pub(super) is_upper: bool,
    pub(super) line: usize,
}

impl Token<'_> {
    /// Whether it may be a part of a name or number.
    pub(super) const fn is_open(&self) -> bool {
        self.shape < KNOWN
    }

    pub(super) const fn is_word(&self) -> bool {
        self.shape < NUMBER
    }

    /// Whether a name or number may begin with it: a capital, a digit, a script without cases.
    pub(super) fn is_candidate(&self) -> bool {
        let is_uncased = |c: char| c.is_alphabetic() && !c.is_lowercase();
        self.is_open() && self.is_upper
            || (NUMBER..SIGN).contains(&self.shape)
            || self.is_word() && self.lower.starts_with(is_uncased)
    }
}

struct Tokens<'a> {
    text: &'a str,
    out: Vec<Token<'a>>,
    line: usize,
}

/// Returns the tokens of lines that may have a name or a number: with a digit, an uncased script,
/// or a capital within a sentence. `words` are those outside of all finds.
pub(super) fn tokens<'a>(text: &'a str, words: &'a [Word<'a>], found: &[Hidden]) -> Vec<Token<'a>> {
    let mut tokens = Tokens {
        text,
        out: Vec::with_capacity(words.len()),
        line: 0,
    };
    let (mut words, mut found) = (words, found);
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive(['\n', '\u{1e}']) {
        let end = start + line.len();
        let here = words.split_off(..words.partition_point(|word| word.start < end));
        let known = found.split_off(..found.partition_point(|it| it.range.start < end));
        let (here, known) = (here.unwrap_or_default(), known.unwrap_or_default());
        at = at.max(start);
        if here
            .iter()
            .any(|word| is_sure(&text[start..word.start], word))
        {
            at = tokens.line(at..end, here, known);
            tokens.end_line(end);
        }
        start = end;
    }
    tokens.out
}

/// A digit, an uncased script, or a capital within a sentence.
fn is_sure(before: &str, word: &Word<'_>) -> bool {
    let first = word.text.chars().next().unwrap_or_default();
    if !first.is_uppercase() {
        return !first.is_lowercase();
    }
    let sentence = before.trim_end_matches(|c| "(¡¿\"„“«*".contains(c));
    let end = sentence.trim_end();
    let is_parted = end.len() < sentence.len();
    !(end.is_empty() || is_parted && end.ends_with(|c| ".!?:…-–—•*·".contains(c)))
}

impl<'a> Tokens<'a> {
    fn push(&mut self, range: Range, lower: Cow<'a, str>, shape: u64, cues: Cues) {
        self.out.push(Token {
            is_upper: self.text[range.clone()].starts_with(char::is_uppercase),
            id: hash(&lower),
            range,
            lower,
            shape,
            cues,
            line: self.line,
        });
    }

    /// Returns where the last token ends.
    fn line(&mut self, range: Range, words: &'a [Word<'a>], found: &[Hidden]) -> usize {
        let mut at = range.start;
        let (mut words, mut found) = (words.iter().peekable(), found.iter().peekable());
        loop {
            let word = words.peek().map_or(range.end, |word| word.start);
            if let Some(hidden) = found.next_if(|it| it.range.start <= word) {
                self.signs(at..hidden.range.start);
                at = at.max(hidden.range.end);
                let shape = KNOWN + hidden.kind as u64;
                let lower = hidden.kind.token().into();
                self.push(hidden.range.clone(), lower, shape, Cues::empty());
            } else if let Some(word) = words.next() {
                self.signs(at..word.start);
                at = word.end();
                self.word(word);
            } else {
                break;
            }
        }
        self.signs(at..range.end);
        at
    }

    fn end_line(&mut self, at: usize) {
        self.push(at..at, "\n".into(), LINE_END, Cues::empty());
        self.line += 1;
    }

    fn signs(&mut self, range: Range) {
        let start = range.start;
        let gap = self.text.get(range).unwrap_or_default();
        for (at, sign) in gap.char_indices() {
            if !sign.is_whitespace() && !sign.is_control() {
                let range = start + at..start + at + sign.len_utf8();
                let lower = &self.text[range.clone()];
                let ends = matches!(sign, '.' | '!' | '?') && self.is_end(range.end);
                let shape = if ends { SENTENCE_END } else { SIGN };
                self.push(range, lower.into(), shape, Cues::empty());
            }
        }
    }

    /// After a word that is no abbreviation, and before a capital: `Rope Lane. Apply`.
    fn is_end(&self, end: usize) -> bool {
        const LONGEST: usize = 4;
        let next = self.text[end..].trim_start_matches(' ');
        let is_parted = next.len() < self.text.len() - end;
        let is_long = |last: &Token<'_>| last.lower.chars().nth(LONGEST).is_some();
        is_parted && next.starts_with(char::is_uppercase) && self.out.last().is_some_and(is_long)
    }

    fn word(&mut self, word: &'a Word<'a>) {
        if word.is_unspaced() {
            self.unspaced(word);
        } else if word.text.chars().all(char::is_numeric) {
            let lower = "0".repeat(word.letters());
            self.push(
                word.start..word.end(),
                lower.into(),
                shape(word.text),
                word.cues,
            );
        } else {
            let lower = Cow::Borrowed(&*word.lower);
            self.push(word.start..word.end(), lower, shape(word.text), word.cues);
        }
    }

    fn unspaced(&mut self, word: &Word<'_>) {
        let mut start = word.start;
        for part in unspaced(&self.text[word.start..word.end()]) {
            let end = start + part.len();
            self.push(start..end, part.into(), shape(part), cues::of(part));
            start = end;
        }
    }
}

/// Each sign is a token, and each run of Katakana.
fn unspaced(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let run = rest.find(|c| !is_katakana(c)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(run.max(first.len_utf8()));
        rest = after;
        Some(part)
    })
}

/// The hashes of a name's tokens.
pub(super) fn ids(name: &[Word<'_>]) -> Vec<u64> {
    let mut out = Vec::new();
    for word in name {
        if word.is_unspaced() {
            out.extend(unspaced(word.text).map(hash));
        } else {
            out.push(hash(&word.lower));
        }
    }
    out
}

fn is_katakana(c: char) -> bool {
    !matches!(c, 'ぁ'..='ん') && is_unspaced(c) && Script::of(c) == Script::Kana
}

pub(super) fn hash(text: &str) -> u64 {
    text.chars().fold(0, with_letter)
}

/// A hash that goes on; it is mixed before it is used.
pub(super) const fn with_letter(so_far: u64, letter: char) -> u64 {
    (so_far.rotate_left(5) ^ letter as u64).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

fn shape(text: &str) -> u64 {
    const LOWER: u64 = 3;
    // Most words.
    if text.bytes().all(|b| b.is_ascii_lowercase()) {
        return 8 * Script::Latin as u64 + LOWER + u64::from(text.len() > 2);
    }
    let (mut all, mut digits, mut letters, mut capitals) = (0, 0, 0, 0);
    for c in text.chars() {
        all += 1;
        digits += u64::from(c.is_numeric());
        letters += u64::from(c.is_alphabetic());
        capitals += u64::from(c.is_uppercase());
    }
    if digits == all {
        return NUMBER + digits.min(20);
    }
    let first = text.chars().next().unwrap_or_default();
    if digits > 0 {
        let begins = u64::from(first.is_numeric());
        let is_capital = u64::from(capitals == letters);
        return MIXED + 100 * is_capital + 50 * begins + 4 * digits.min(9) + letters.min(3);
    }
    let case = match capitals {
        1 if all == 1 => 0,
        _ if capitals == all => 1 + u64::from(all > 3),
        0 => LOWER + u64::from(all > 2),
        1 if first.is_uppercase() => 5,
        _ => 6 + u64::from(first.is_uppercase()),
    };
    8 * Script::of_text(text) as u64 + case
}
