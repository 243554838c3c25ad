//! Splits a text into words, with their positions and the gaps between them.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A run of letters and digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    /// The byte where it starts.
    pub(crate) start: usize,
    /// The word as it is written.
    pub(crate) text: &'a str,
    pub(crate) lower: Cow<'a, str>,
}

impl Word<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn is_capital(&self) -> bool {
        self.text.starts_with(|c: char| !c.is_lowercase())
    }
}

pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut out = Vec::with_capacity(text.len() / 6);
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = c.is_alphanumeric() || (!c.is_ascii() && is_combining_mark(c));
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let word = &text[from..at];
                out.push(Word {
                    start: from,
                    text: word,
                    lower: lower(word),
                });
                start = None;
            }
            _ => {}
        }
    }
    out
}

fn lower(word: &str) -> Cow<'_, str> {
    if word
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    {
        Cow::Borrowed(word)
    } else if word.is_ascii() {
        Cow::Owned(word.to_ascii_lowercase())
    } else {
        Cow::Owned(word.to_lowercase())
    }
}

/// Removes accents, like people whose keyboard lacks them.
pub(crate) fn unaccented(lower: &str) -> String {
    let mut out = String::with_capacity(lower.len());
    for c in lower.nfkd().filter(|c| !is_combining_mark(*c)) {
        match c {
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' | 'ð' => out.push('d'),
            'ı' => out.push('i'),
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'þ' => out.push_str("th"),
            c => out.push(c),
        }
    }
    out
}

/// Whether the words of a name may be separated by this.
pub(crate) fn is_gap(gap: &str) -> bool {
    gap.chars().nth(3).is_none()
        && gap.chars().all(|c| {
            c.is_whitespace()
                || matches!(
                    c,
                    '-' | '‐' | '‑' | '–' | '_' | '.' | '&' | '+' | '\'' | '’' | '/' | '•' | '·'
                )
        })
}
