//! Recognises sentences with one certain meaning, by tables of phrases in many languages.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use aho_corasick::{AhoCorasick, MatchKind};

use super::refusal::Refusal;
use crate::redact::{List, Word, is_unspaced, lines, words};

pub(super) struct Table {
    /// Phrases in lower case, between spaces if their script has spaces.
    phrases: AhoCorasick,
    meanings: Vec<Refusal>,
    words: HashMap<String, Refusal>,
    /// Words of scripts without spaces.
    pieces: AhoCorasick,
    /// Words that cancel the meaning of a phrase in their sentence.
    others: HashMap<String, Refusal>,
}

pub(super) static TEST: LazyLock<Table> =
    LazyLock::new(|| Table::of(&[(Refusal::Test, include_str!("tables/test.txt"))]));

pub(super) static PAGES: LazyLock<Table> = LazyLock::new(|| {
    Table::of(&[
        (Refusal::Closed, include_str!("tables/closed.txt")),
        (Refusal::LoginWall, include_str!("tables/login_wall.txt")),
        (Refusal::ErrorPage, include_str!("tables/error_page.txt")),
        (Refusal::NoContent, include_str!("tables/reference.txt")),
        (Refusal::Navigation, include_str!("tables/navigation.txt")),
    ])
});

pub(super) static JOB: LazyLock<Table> =
    LazyLock::new(|| Table::of(&[(Refusal::NoContent, include_str!("tables/job.txt"))]));

/// Words that count neither as known nor as unknown: auxiliary verbs, prepositions, months.
static NEUTRAL: List = List::new(include_str!("tables/neutral.txt"));

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) refusal: Option<Refusal>,
    pub(super) letters: usize,
    /// The letters of unknown words.
    pub(super) unknown: usize,
    pub(super) unknown_words: usize,
    /// The unknown words that are not written as a name.
    pub(super) plain_words: usize,
}

impl Table {
    fn of(tables: &[(Refusal, &'static str)]) -> Self {
        let (mut phrases, mut meanings) = (Vec::new(), Vec::new());
        let (mut words, mut pieces) = (HashMap::new(), HashSet::new());
        let mut others = HashMap::new();
        for (refusal, table) in tables {
            for (heading, line) in lines(table) {
                if heading == "others" {
                    others.extend(listed(line).map(|word| (word, *refusal)));
                    continue;
                }
                for phrase in line.split('|') {
                    let (unspaced, spaced): (Vec<_>, Vec<_>) =
                        listed(phrase).partition(|word| word.contains(is_unspaced));
                    if heading == "phrases" {
                        phrases.extend(padded(phrase));
                        meanings.resize(phrases.len(), *refusal);
                    }
                    for word in spaced {
                        words.entry(word).or_insert(*refusal);
                    }
                    pieces.extend(unspaced);
                }
            }
        }
        Self {
            phrases: automaton(MatchKind::Standard, phrases),
            meanings,
            words,
            pieces: automaton(MatchKind::LeftmostLongest, pieces),
            others,
        }
    }

    pub(super) fn look(&self, sentence: &str, also: impl Fn(&str) -> bool) -> Seen {
        let words = words(sentence);
        let mut seen = Seen {
            refusal: self.meaning(&words),
            ..Seen::default()
        };
        for word in &words {
            let lower = word.lower.as_ref();
            let letters = lower.chars().count();
            let unknown = if word.is_unspaced() {
                letters - self.known_letters(lower)
            } else if self.words.contains_key(lower) || also(lower) || word.is_small() {
                0
            } else {
                letters
            };
            if unknown > 0 && NEUTRAL.has(lower) {
                continue;
            }
            seen.letters += letters;
            seen.unknown += unknown;
            if unknown > 0 {
                seen.unknown_words += 1;
                seen.plain_words +=
                    usize::from(!word.is_upper() && !lower.contains(|c: char| c.is_ascii_digit()));
            }
        }
        seen
    }

    pub(super) fn has_word(&self, sentence: &str) -> bool {
        let known = |word: &Word<'_>| {
            let lower = word.lower.as_ref();
            self.words.contains_key(lower) || (word.is_unspaced() && self.pieces.is_match(lower))
        };
        words(sentence).iter().any(known)
    }

    fn meaning(&self, words: &[Word<'_>]) -> Option<Refusal> {
        let said = format!(" {} ", joined(words.iter().map(|word| word.lower.as_ref())));
        let phrases = self.phrases.find_overlapping_iter(&said);
        let meanings = phrases.map(|found| self.meanings[found.pattern().as_usize()]);
        let denied = |refusal: &Refusal| {
            let denies = |word: &Word<'_>| self.others.get(word.lower.as_ref()) == Some(refusal);
            words.iter().any(denies)
        };
        meanings.filter(|refusal| !denied(refusal)).min()
    }

    fn known_letters(&self, word: &str) -> usize {
        let pieces = self.pieces.find_iter(word);
        pieces
            .map(|piece| word[piece.range()].chars().count())
            .sum()
    }
}

#[expect(
    clippy::expect_used,
    reason = "tables are constants, and a test looks for each of their phrases"
)]
fn automaton(kind: MatchKind, patterns: impl IntoIterator<Item = String>) -> AhoCorasick {
    let automaton = AhoCorasick::builder().match_kind(kind).build(patterns);
    automaton.expect("a table fits an automaton")
}

pub(super) fn normalised(text: &str) -> String {
    joined(listed(text))
}

fn joined<T: AsRef<str>>(words: impl Iterator<Item = T>) -> String {
    let mut joined = String::new();
    for word in words {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word.as_ref());
    }
    joined
}

fn listed(line: &str) -> impl Iterator<Item = String> {
    words(line).into_iter().map(|word| word.lower.into_owned())
}

fn padded(phrase: &str) -> Option<String> {
    let said = normalised(phrase);
    let edge = |c: Option<char>| if c.is_some_and(is_unspaced) { "" } else { " " };
    let (first, last) = (said.chars().next(), said.chars().next_back());
    first
        .is_some()
        .then(|| format!("{}{said}{}", edge(first), edge(last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_is_a_notice_by_itself() {
        for (name, table) in [
            ("test", include_str!("tables/test.txt")),
            ("closed", include_str!("tables/closed.txt")),
            ("login_wall", include_str!("tables/login_wall.txt")),
            ("error_page", include_str!("tables/error_page.txt")),
            ("reference", include_str!("tables/reference.txt")),
            ("navigation", include_str!("tables/navigation.txt")),
        ] {
            let notice = if name == "test" { &TEST } else { &PAGES };
            let phrases = lines(table).filter(|(heading, _)| *heading == "phrases");
            let phrases: Vec<_> = phrases.flat_map(|(_, line)| line.split('|')).collect();
            assert!(phrases.len() > 30, "{name}");
            for phrase in phrases.iter().filter(|phrase| !phrase.trim().is_empty()) {
                let seen = notice.look(phrase, |_| false);
                assert!(
                    seen.refusal.is_some() && seen.unknown == 0,
                    "{name}: {phrase}: {seen:?}"
                );
            }
        }
    }
}
