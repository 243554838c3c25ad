use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::{
    cues::{self, Cues},
    script::is_unspaced,
};
use crate::{Budget, places::plain_letter};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) content: &'a str,
    pub(crate) words: &'a [Word<'a>],
    pub(crate) budget: &'a Budget,
}

impl<'a> Text<'a> {
    pub(crate) fn new(content: &'a str, words: &'a [Word<'a>], budget: &'a Budget) -> Self {
        Self {
            content,
            words,
            budget,
        }
    }

    pub(crate) fn of(self, words: &'a [Word<'a>]) -> Self {
        Self { words, ..self }
    }

    pub(crate) fn parts(self) -> (&'a str, &'a [Word<'a>], &'a Budget) {
        (self.content, self.words, self.budget)
    }
}

/// Letters and digits of scripts with spaces between words, or without: `Uberの` is two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    /// In bytes.
    pub(crate) start: usize,
    pub(crate) text: &'a str,
    pub(crate) lower: Cow<'a, str>,
    pub(crate) cues: Cues,
}

impl Word<'_> {
    pub(crate) fn is(&self, cues: Cues) -> bool {
        self.cues.intersects(cues)
    }

    pub(crate) fn is_small(&self) -> bool {
        self.is(Cues::SMALL)
    }

    pub(crate) fn is_generic(&self) -> bool {
        self.is(Cues::GENERIC)
    }

    pub(crate) fn is_unspaced(&self) -> bool {
        self.text.starts_with(is_unspaced)
    }

    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn is_capital(&self) -> bool {
        self.text.starts_with(|c: char| !c.is_lowercase())
    }

    pub(crate) fn is_upper(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    pub(crate) fn is_capitals(&self) -> bool {
        self.text.chars().all(char::is_uppercase)
    }

    pub(crate) fn letters(&self) -> usize {
        self.text.chars().count()
    }

    pub(crate) fn is_letter(&self) -> bool {
        self.text.chars().nth(1).is_none()
    }

    pub(crate) fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut out = Vec::with_capacity(text.len() / 6);
    let mut start = None;
    let mut unspaced = false;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = if c.is_ascii() {
            c.is_ascii_alphanumeric()
        } else {
            (c.is_alphanumeric() && !is_note(c))
                || is_combining_mark(c)
                || (start.is_some() && is_joiner(c))
        };
        let other = !c.is_ascii() && is_unspaced(c);
        if let Some(from) = start
            && (!inside || (other != unspaced && !is_combining_mark(c) && !is_joiner(c)))
        {
            out.push(word(from, &text[from..at]));
            start = None;
        }
        if inside && start.is_none() {
            start = Some(at);
            unspaced = other;
        }
    }
    out
}

pub(crate) fn word_before<'a, 'b>(words: &'a [Word<'b>], at: usize) -> Option<&'a Word<'b>> {
    words.get(at.checked_sub(1)?)
}

pub(crate) fn last_word(text: &str) -> &str {
    let mut words = text.rsplit(|c: char| !c.is_alphanumeric());
    words.next().unwrap_or_default()
}

pub(crate) fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

pub(super) fn word(start: usize, text: &str) -> Word<'_> {
    let lower = lower(text);
    Word {
        start,
        text,
        cues: cues::of(&lower),
        lower,
    }
}

/// A raised or lowered number belongs to no word: `Example¹`.
const fn is_note(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | '\u{2070}' | '\u{2074}'..='\u{2079}' | '\u{2080}'..='\u{2089}')
}

/// In another width or style: `Ｕ`, `𝐀`.
const fn is_styled(c: char) -> bool {
    matches!(c, '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}')
}

/// An invisible character that joins or separates letters.
const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn lower(word: &str) -> Cow<'_, str> {
    if word
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    {
        Cow::Borrowed(word)
    } else if word.is_ascii() {
        Cow::Owned(word.to_ascii_lowercase())
    } else if word.contains(is_joiner) {
        let plain: String = word.chars().filter(|c| !is_joiner(*c)).collect();
        Cow::Owned(lower(&plain).into_owned())
    } else if word.contains(is_styled) {
        let plain: String = word.nfkc().collect();
        Cow::Owned(plain.to_lowercase())
    } else if word.contains('İ') {
        // Its lower case is an i with a second dot.
        Cow::Owned(word.replace('İ', "i").to_lowercase())
    } else {
        Cow::Owned(word.to_lowercase())
    }
}

pub(crate) fn unaccented(lower: &str) -> String {
    if lower.is_ascii() {
        return lower.to_owned();
    }
    let mut out = String::with_capacity(lower.len());
    for c in lower.nfkd().filter(|c| !is_combining_mark(*c)) {
        match c {
            'ς' => out.push('σ'),
            'ى' => out.push('ي'),
            'ة' => out.push('ه'),
            c => match plain_letter(c) {
                Some(plain) => out.push_str(plain),
                None => out.push(c),
            },
        }
    }
    out
}

/// Replaces umlauts in two letters, such as `ae`, by the letter alone.
pub(crate) fn without_umlauts(word: &str) -> String {
    word.replace("ae", "a")
        .replace("oe", "o")
        .replace("ue", "u")
}

/// Whether this may separate words of a name. A full stop and a space end a sentence, unless the
/// word `before` is short like an initial or `St`.
pub(crate) fn is_gap(gap: &str, before: &str) -> bool {
    let ends = gap
        .find('.')
        .is_some_and(|at| gap[at + 1..].starts_with(char::is_whitespace));
    gap.chars().nth(3).is_none()
        && !(ends && before.chars().nth(3).is_some())
        && gap
            .chars()
            .all(|c| c.is_whitespace() || "-‐‑–_.&+'’/•·\"״׳・“”„«»№".contains(c))
}

pub(crate) fn begins_sentence(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([
        ' ', '\u{a0}', '"', '\'', '“', '„', '«', '(', '*', '•', '-', '–', '—', '·', '¡', '¿',
    ]);
    let is_first = before.is_empty() || before.ends_with(['\n', '.', '!', '?', ':', '\u{1e}']);
    is_first || before.ends_with(['。', '！', '？', '…', ';'])
}
