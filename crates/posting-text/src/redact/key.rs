//! One spelling of a company's name, and how it matches the words of a text.

use std::borrow::Cow;

use super::{
    vocabulary::LEGAL,
    words::{Word, is_gap, unaccented},
};
use crate::{Budget, Exceeded};

/// How the letters of a name must be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Any,
    /// The first letter in upper case, because the name is also a common word.
    Capital,
    /// Every letter in upper case: an acronym.
    Upper,
}

/// Suffixes for a company's employees: `Exampleans`.
const EMPLOYEE_SUFFIXES: [&str; 7] = ["ian", "ians", "ite", "ites", "eer", "eers", "sters"];

/// One spelling of a company's name.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// All its words joined, in lower case.
    pub(crate) joined: String,
    /// The bytes of `joined` after which a new word may begin; `None` for any.
    pub(crate) splits: Option<Vec<usize>>,
    pub(crate) case: Case,
    /// What must be between the words, apart from spaces, if the words alone are too short.
    pub(crate) gap: Option<String>,
    /// Whether it may begin a compound word (`Exampleish`, in languages that compound).
    pub(crate) compounds: bool,
    /// Whether accents must match. They must, unless the name has accents itself, some of which
    /// people leave out.
    pub(crate) accents_count: bool,
}

impl Key {
    pub(crate) fn word(joined: String, case: Case) -> Self {
        Self {
            joined,
            splits: Some(Vec::new()),
            case,
            gap: None,
            compounds: false,
            accents_count: true,
        }
    }

    fn lower<'a>(&self, word: &'a Word<'_>) -> Cow<'a, str> {
        if self.accents_count || word.lower.is_ascii() {
            Cow::Borrowed(&word.lower)
        } else {
            Cow::Owned(unaccented(&word.lower))
        }
    }

    /// If this name starts at word `at`, returns its end and the index of the next word. The caller
    /// pays for the first word.
    pub(crate) fn matches(
        &self,
        text: &str,
        words: &[Word<'_>],
        at: usize,
        budget: &Budget,
    ) -> Result<Option<(usize, usize)>, Exceeded> {
        let first = &words[at];
        if self.lower(first).as_bytes().first() != self.joined.as_bytes().first() {
            return Ok(None);
        }
        if self.case == Case::Capital && !first.is_capital() {
            return Ok(None);
        }
        let mut rest = self.joined.as_str();
        let mut gaps = String::new();
        let mut index = at;
        loop {
            let word = &words[index];
            budget.spend(1 + word.text.len())?;
            if self.case == Case::Upper && word.text.chars().any(char::is_lowercase) {
                return Ok(None);
            }
            let lower = self.lower(word);
            if rest == lower {
                let fits = self.gap.as_ref().is_none_or(|gap| *gap == gaps);
                return Ok(fits.then_some((word.end(), index + 1)));
            }
            if let Some(after) = rest.strip_prefix(&*lower) {
                let split = self.joined.len() - after.len();
                if !self
                    .splits
                    .as_ref()
                    .is_none_or(|splits| splits.contains(&split))
                {
                    return Ok(None);
                }
                rest = after;
                let Some(next) = words.get(index + 1) else {
                    return Ok(None);
                };
                let gap = &text[word.end()..next.start];
                if !is_gap(gap) {
                    return Ok(None);
                }
                gaps.push_str(gap.trim());
                index += 1;
                continue;
            }
            let end = self.within(rest, word, first);
            return Ok(end.map(|end| (word.start + end, index + 1)));
        }
    }

    /// How much of a longer last word belongs to the name: all of `Examples`, the start of
    /// `ExampleEats` and `Example4All`, nothing of `exampleish`.
    fn within(&self, rest: &str, word: &Word<'_>, first: &Word<'_>) -> Option<usize> {
        let lower = self.lower(word);
        let more = lower.strip_prefix(rest)?;
        let length = self.joined.chars().count();
        if length < 4 || word.text.chars().count() != lower.chars().count() {
            return None;
        }
        let is_employee = self.case == Case::Any && EMPLOYEE_SUFFIXES.contains(&more);
        if (more == "s" || is_employee) && first.is_capital() {
            return Some(word.text.len());
        }
        let (end, next) = word.text.char_indices().nth(rest.chars().count())?;
        let before = word.text[..end].chars().next_back()?;
        let inner_capital = (next.is_uppercase() && before.is_lowercase()) || next.is_ascii_digit();
        let compound = self.compounds && first.is_capital() && more.chars().count() >= 4;
        (inner_capital || compound).then_some(end)
    }
}

/// Extends a name by the legal form after it: `Example, Inc.`
pub(crate) fn with_legal_form(
    text: &str,
    words: &[Word<'_>],
    end: usize,
    next: usize,
) -> (usize, usize) {
    let (mut end, mut next) = (end, next);
    while let Some(word) = words.get(next) {
        let gap = &text[end..word.start];
        let beside = matches!(gap, " " | ", " | "\u{a0}" | " & ");
        let written = word.text.chars().next().is_some_and(char::is_uppercase);
        let sure = word.text.chars().count() > 2 || word.text.chars().all(char::is_uppercase);
        let legal = LEGAL.contains(&&*word.lower)
            && !matches!(&*word.lower, "is" | "company" | "co" | "limited");
        let is_form = (written && sure && legal) || word.lower == "gmbh";
        if !(beside && is_form) {
            break;
        }
        end = word.end();
        next += 1;
        if matches!(&*word.lower, "inc" | "ltd" | "corp") && text[end..].starts_with('.') {
            end += 1;
        }
    }
    (end, next)
}

/// Where the words of a joined name end, and where a word has an inner capital: `JobBoard`.
pub(crate) fn splits(words: &[Word<'_>]) -> Vec<usize> {
    let mut out = Vec::new();
    let mut length = 0;
    for word in words {
        if word.text.len() == word.lower.len() {
            let mut before_lower = false;
            for (at, c) in word.text.char_indices() {
                if before_lower && c.is_uppercase() {
                    out.push(length + at);
                }
                before_lower = c.is_lowercase();
            }
        }
        length += word.lower.len();
        out.push(length);
    }
    out
}
