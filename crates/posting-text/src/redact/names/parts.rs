//! What stands beside a found name and belongs to it: further words of the same name, so that none
//! is torn.

use super::{Names, Text, Word, context::is_vietnamese, inflect};
use crate::{Budget, Result};

/// The most words that are taken on each side.
const MAX_WORDS: usize = 8;

impl Names {
    /// Extends a name that starts at word `at` by words of the name before it, but not by the word
    /// `free` or any before that one. Returns the first word and its start.
    pub(super) fn before(
        &self,
        on: Text<'_>,
        at: usize,
        start: usize,
        free: usize,
    ) -> Result<(usize, usize)> {
        let (text, words, budget) = on.parts();
        if start != words[at].start {
            return Ok((at, start));
        }
        let (mut first, mut start) = (at, start);
        let mut look = at;
        for _ in 0..MAX_WORDS {
            let Some(previous) = look.checked_sub(1).filter(|previous| *previous >= free) else {
                break;
            };
            let word = &words[previous];
            let gap = &text[word.end()..words[look].start];
            if !self.is_beside(gap) {
                break;
            }
            if self.is_part(word, budget)? {
                (first, start) = (previous, word.start);
            } else if let Some(length) = self.part_after_prefix(word, budget)? {
                return Ok((previous, word.end() - length));
            } else if !self.small.iter().any(|small| *small == word.lower) {
                break;
            }
            look = previous;
        }
        Ok((first, start))
    }

    /// Extends a name by words of the name after it. Returns its end and the next word.
    pub(super) fn after(&self, on: Text<'_>, end: usize, next: usize) -> Result<(usize, usize)> {
        let (text, words, budget) = on.parts();
        let (mut end, mut next) = (end, next);
        let mut from = end;
        for (look, word) in words.iter().enumerate().skip(next).take(MAX_WORDS) {
            if word.start < from || !self.is_beside(&text[from..word.start]) {
                break;
            }
            if self.is_part(word, budget)? {
                (end, next) = (word.end(), look + 1);
            } else if !self.small.iter().any(|small| *small == word.lower) {
                break;
            }
            from = word.end();
        }
        Ok((end, next))
    }

    /// If a word is a word of the name with a prefix of Hebrew or Arabic, the length of the
    /// rest after the prefix.
    fn part_after_prefix(&self, word: &Word<'_>, budget: &Budget) -> Result<Option<usize>> {
        for rest in inflect::without_prefix(&word.lower) {
            budget.spend(1 + self.parts.len())?;
            if self.parts.iter().any(|(part, _)| part.is(rest)) {
                return Ok(Some(rest.len()));
            }
        }
        Ok(None)
    }

    /// Whether a word is one of the name, with a capital if the name writes it so.
    fn is_part(&self, word: &Word<'_>, budget: &Budget) -> Result<bool> {
        budget.spend(1 + self.parts.len())?;
        let lower = if word.lower.is_ascii() {
            word.lower.to_string()
        } else {
            super::unaccented(&word.lower)
        };
        // Where accents are tones, without them it is another word.
        let lower = if word.lower.contains(is_vietnamese) {
            word.lower.to_string()
        } else {
            lower
        };
        Ok(!word.is_small()
            && self.parts.iter().any(|(part, _)| {
                (!part.is_upper || word.is_upper()) && (part.is(&word.lower) || part.is(&lower))
            }))
    }

    /// Whether a gap is within a name.
    fn is_beside(&self, gap: &str) -> bool {
        const GAPS: [&str; 14] = [
            " ", "\u{a0}", "-", " - ", " – ", " & ", "&", "/", " «", " \"", " „", " “", "-\u{a0}",
            " № ",
        ];
        GAPS.contains(&gap) || gap == " №" || (self.has_comma && gap == ", ")
    }
}
