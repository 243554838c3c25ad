//! Recognises short texts that say one certain thing, in many languages, by tables of phrases.

use std::{collections::HashSet, sync::LazyLock};

use crate::redact::{is_unspaced, lines, words};

/// What the texts of one kind say, by a table.
pub(super) struct Notice {
    /// Phrases in lower case, between spaces if their script has some.
    phrases: Vec<String>,
    /// Words that belong to such a text.
    words: HashSet<String>,
    /// The same in scripts without spaces, longer ones first.
    pieces: Vec<String>,
    /// Words that such a text lacks.
    others: HashSet<String>,
}

pub(super) static TEST: LazyLock<Notice> =
    LazyLock::new(|| Notice::of(include_str!("tables/test.txt")));
pub(super) static ERROR_PAGE: LazyLock<Notice> =
    LazyLock::new(|| Notice::of(include_str!("tables/error_page.txt")));
pub(super) static CLOSED: LazyLock<Notice> =
    LazyLock::new(|| Notice::of(include_str!("tables/closed.txt")));

/// How much of a text a table accounts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Whether a phrase of the table is in it.
    pub(super) has_phrase: bool,
    /// The number of letters, and of those that belong to no word of the table.
    pub(super) letters: usize,
    pub(super) unknown: usize,
}

impl Notice {
    fn of(table: &'static str) -> Self {
        let mut notice = Self {
            phrases: Vec::new(),
            words: HashSet::new(),
            pieces: Vec::new(),
            others: HashSet::new(),
        };
        let mut pieces = HashSet::new();
        for (heading, line) in lines(table) {
            if heading == "others" {
                notice.others.extend(listed(line));
                continue;
            }
            for phrase in line.split('|') {
                let (unspaced, spaced): (Vec<_>, Vec<_>) =
                    listed(phrase).partition(|word| word.contains(is_unspaced));
                if heading == "phrases" {
                    notice.phrases.extend(padded(phrase));
                }
                notice.words.extend(spaced);
                pieces.extend(unspaced);
            }
        }
        notice.pieces = pieces.into_iter().collect();
        let length = |piece: &String| std::cmp::Reverse(piece.len());
        notice.pieces.sort_by_key(length);
        notice
    }

    /// The steps for looking at a text of this many bytes.
    pub(super) fn steps(&self, bytes: usize) -> usize {
        bytes.saturating_mul(self.phrases.len() + self.pieces.len())
    }

    /// Looks at a text. `also` is a word that is known besides those of the table.
    pub(super) fn look(&self, text: &str, also: impl Fn(&str) -> bool) -> Seen {
        let said = format!(" {} ", normalised(text));
        let mut seen = Seen {
            has_phrase: self.phrases.iter().any(|phrase| said.contains(phrase)),
            letters: 0,
            unknown: 0,
        };
        for word in said.split_whitespace() {
            let letters = word.chars().count();
            seen.letters += letters;
            if self.others.contains(word) {
                seen.has_phrase = false;
            }
            seen.unknown += if word.contains(is_unspaced) {
                self.left_of(word)
            } else if self.words.contains(word) || also(word) {
                0
            } else {
                letters
            };
        }
        seen
    }

    /// The number of characters of a word that are in no piece.
    fn left_of(&self, word: &str) -> usize {
        let mut rest = word.to_owned();
        for piece in &self.pieces {
            if rest.contains(piece.as_str()) {
                // What is before and after it must not become one word.
                rest = rest.replace(piece.as_str(), " ");
            }
        }
        rest.chars().filter(|c| *c != ' ').count()
    }
}

/// The words in lower case, with single spaces.
pub(super) fn normalised(text: &str) -> String {
    listed(text).collect::<Vec<_>>().join(" ")
}

/// The words of a text in lower case.
fn listed(line: &str) -> impl Iterator<Item = String> {
    let words = words(line).into_iter();
    words
        .map(|word| word.lower.into_owned())
        .collect::<Vec<_>>()
        .into_iter()
}

/// A phrase as it is looked for, unless it is empty.
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
        for (name, notice) in [
            ("test", &*TEST),
            ("error", &*ERROR_PAGE),
            ("closed", &*CLOSED),
        ] {
            assert!(notice.phrases.len() > 50, "{name}");
            for phrase in &notice.phrases {
                let seen = notice.look(phrase, |_| false);
                assert!(
                    seen.has_phrase && seen.unknown == 0,
                    "{name}: {phrase}: {seen:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_known_of_a_text() {
        let look = |text| {
            let seen = CLOSED.look(text, |word| word == "cook");
            (seen.has_phrase, seen.letters, seen.unknown)
        };
        assert_eq!(look("This job is closed."), (true, 15, 0));
        assert_eq!(look("This job: cook, Oslo, is closed"), (false, 23, 4));
        assert_eq!(look("Apply until this job is closed."), (false, 25, 10));
        assert_eq!(look("募集は終了しました"), (true, 9, 0));
        assert_eq!(look("職種の募集は終了"), (true, 8, 2));
    }
}
