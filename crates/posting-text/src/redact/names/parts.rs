//! Words beside a found name that belong to it.

use super::{Cues, List, Names, Text, Word, inflect, word_before};
use crate::{Budget, Result, redact::words::begins_sentence};

pub(super) const MAX_WORDS: usize = 8;

/// A legal form, or within a sentence an article with a capital: `SARL Acmera`, `de El Acmera`.
fn is_of_name(on: Text<'_>, word: &Word<'_>) -> bool {
    let is_form = word.is(Cues::LEGAL) && word.is_capitals() && word.letters() > 1;
    let is_article = matches!(
        &*word.lower,
        "el" | "la" | "los" | "las" | "il" | "lo" | "le" | "les" | "de" | "het" | "the"
    ) && word.is_upper()
        && !begins_sentence(on.content, word.start);
    is_form || is_article
}

impl Names {
    /// Extends a name backwards, but not past `free`. Returns the first word and its start.
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
            if self.part(word, budget)?.is_some() {
                (first, start) = (previous, word.start);
            } else if let Some(length) = self.part_after_prefix(word, budget)? {
                return Ok((previous, word.end() - length));
            } else if gap == " " && is_of_name(on, word) {
                return Ok((previous, word.start));
            } else if !self.small.iter().any(|small| *small == word.lower) {
                break;
            }
            look = previous;
        }
        Ok((first, start))
    }

    pub(super) fn after(&self, on: Text<'_>, end: usize, next: usize) -> Result<(usize, usize)> {
        let (text, words, budget) = on.parts();
        let (mut end, mut next) = (end, next);
        let mut from = end;
        for (look, word) in words.iter().enumerate().skip(next).take(MAX_WORDS) {
            if word.start < from || !self.is_beside(&text[from..word.start]) {
                break;
            }
            if self.part(word, budget)?.is_some() {
                (end, next) = (word.end(), look + 1);
            } else if !self.small.iter().any(|small| *small == word.lower) {
                break;
            }
            from = word.end();
        }
        Ok((end, next))
    }

    /// For a word of the name with a Hebrew or Arabic prefix, returns the length of the rest.
    fn part_after_prefix(&self, word: &Word<'_>, budget: &Budget) -> Result<Option<usize>> {
        for rest in inflect::without_prefix(&word.lower) {
            budget.spend(1 + self.parts.len())?;
            if self.parts.iter().any(|(part, _)| part.is(rest)) {
                return Ok(Some(rest.len()));
            }
        }
        Ok(None)
    }

    /// Returns which word of the name this is, capitalised if the name does so.
    fn part(&self, word: &Word<'_>, budget: &Budget) -> Result<Option<usize>> {
        budget.spend(1 + self.parts.len())?;
        if word.is_small() {
            return Ok(None);
        }
        // "Praxis" for "Zahnarztpraxis"
        let is_trade = word.is_generic() && word.is_upper() && word.letters() >= 5;
        Ok(self.parts.iter().position(|(part, _)| {
            (!part.is_upper || word.is_upper())
                && (part.is(&word.lower) || is_trade && part.text.ends_with(&*word.lower))
        }))
    }

    /// Whether a proper word is a place by its neighbour: `Tamar river`, `Nieuwe Amstel`.
    pub(super) fn is_place(on: Text<'_>, at: usize, next: usize) -> bool {
        static LANDS: List =
            List::new("island islands river lake valley bay beach mountain mountains hills");
        static ZONES: List = List::new(
            "quartier quartiers vallée plaine barrio barrios valle bairro bairros vale quartiere rione cartierul cartier stadtteil viertel ortsteil wijk buurt",
        );
        let (text, word) = (on.content, &on.words[at]);
        // "le quartier du Flon"
        let near = &on.words[at.saturating_sub(2)..at];
        let is_near = |it: &Word<'_>| text[it.end()..word.start].len() <= " de la ".len();
        if near.iter().any(|it| ZONES.has(&it.lower) && is_near(it)) {
            return true;
        }
        if next != at + 1 {
            return false;
        }
        let is_beside =
            |one: &Word<'_>, other: &Word<'_>| &on.content[one.end()..other.start] == " ";
        let (before, after) = (word_before(on.words, at), on.words.get(next));
        before.is_some_and(|it| {
            it.is(Cues::ADJECTIVE) && it.is_upper() && is_beside(it, &on.words[at])
        }) || after.is_some_and(|it| LANDS.has(&it.lower) && is_beside(&on.words[at], it))
    }

    fn is_beside(&self, gap: &str) -> bool {
        const GAPS: [&str; 14] = [
            " ", "\u{a0}", "-", " - ", " – ", " & ", "&", "/", " «", " \"", " „", " “", "-\u{a0}",
            " № ",
        ];
        GAPS.contains(&gap) || gap == " №" || (self.has_comma && gap == ", ")
    }
}
