//! Finds acronyms of a company: those that a text introduces or uses in capitals, and the words
//! that it spells out before one.

use super::{
    vocabulary::{ACRONYMS, SMALL_WORDS},
    words::{Word, is_gap, unaccented, words},
};
use crate::{Budget, Exceeded};

/// At most `most` acronyms of a name: those that the text introduces after a name of two words or
/// more, and those that it uses in capitals for a name of three words or more.
pub(super) fn of_name(
    core: &[Word<'_>],
    all: &[Word<'_>],
    text: &str,
    most: usize,
    budget: &Budget,
) -> Result<Vec<String>, Exceeded> {
    if core.len() < 2 {
        return Ok(Vec::new());
    }
    budget.spend(all.len())?;
    let every: String = core.iter().filter_map(initial).collect();
    let main: String = core
        .iter()
        .filter(|word| !is_small(word))
        .filter_map(initial)
        .collect();
    let mut out: Vec<String> = Vec::new();
    for word in all.iter().filter(|word| is_acronym(word)) {
        let letters = word.lower.chars().count();
        let exact = word.lower == every || word.lower == main;
        let front = letters >= 3 && main.starts_with(&*word.lower);
        let named = letters >= 3 && (exact || front) && !ACRONYMS.contains(&word.text);
        budget.spend(1 + out.len())?;
        let introduced = is_in_parentheses(word, text)
            && initials_of(&word.lower, &every)
            && follows(text, word.start, core, budget)?;
        if (named || introduced) && !out.iter().any(|known| *known == word.lower) {
            out.push(word.lower.to_string());
            if out.len() == most {
                break;
            }
        }
    }
    Ok(out)
}

/// Finds the words spelled out before an acronym in parentheses: `Examples of Everything (EOE)`.
/// Returns the indices of the first word and of the acronym.
pub(super) fn written_out(
    all: &[Word<'_>],
    text: &str,
    is_wanted: impl Fn(&Word<'_>) -> bool,
    budget: &Budget,
) -> Result<Vec<(usize, usize)>, Exceeded> {
    /// The steps for one acronym, which reads this many words and signs at most.
    const SEARCH_STEPS: usize = 100;
    budget.spend(all.len())?;
    let mut out = Vec::new();
    for (at, word) in all.iter().enumerate() {
        if !is_acronym(word) || !is_in_parentheses(word, text) {
            continue;
        }
        budget.spend(SEARCH_STEPS)?;
        if is_wanted(word)
            && let Some(first) = first_written_out(&word.lower, &all[..at], text, word.start)
        {
            out.push((first, at));
        }
    }
    Ok(out)
}

/// The index of the first of the words before an acronym that stand for its letters.
fn first_written_out(
    acronym: &str,
    before: &[Word<'_>],
    text: &str,
    parenthesis: usize,
) -> Option<usize> {
    let mut letters = acronym.chars().rev().peekable();
    let mut next = parenthesis;
    for (at, word) in before.iter().enumerate().rev().take(20) {
        let gap = text[word.end()..next].trim_end_matches('(');
        if !is_gap(gap) {
            return None;
        }
        next = word.start;
        let fits = letters
            .peek()
            .is_some_and(|letter| stands_for(word, *letter));
        if fits && (word.is_capital() || is_small(word)) {
            letters.next();
            if letters.peek().is_none() {
                return Some(at);
            }
        } else if !is_small(word) {
            return None;
        }
    }
    None
}

/// Whether a word stands for this letter of an acronym: by its initial, or by sounding like the
/// digit.
fn stands_for(word: &Word<'_>, letter: char) -> bool {
    initial(word) == Some(letter)
        || matches!(
            (&*word.lower, letter),
            ("for" | "four", '4') | ("to" | "two", '2')
        )
}

fn is_acronym(word: &Word<'_>) -> bool {
    (2..=10).contains(&word.lower.chars().count()) && !word.text.chars().any(char::is_lowercase)
}

fn is_in_parentheses(word: &Word<'_>, text: &str) -> bool {
    text[..word.start].ends_with('(') && text[word.end()..].starts_with(')')
}

fn is_small(word: &Word<'_>) -> bool {
    SMALL_WORDS.contains(&&*word.lower)
}

fn initial(word: &Word<'_>) -> Option<char> {
    word.lower.chars().next()
}

/// Whether an acronym consists of initials of a name, in order.
fn initials_of(acronym: &str, initials: &str) -> bool {
    let mut initials = initials.chars();
    acronym
        .chars()
        .all(|letter| initials.any(|initial| initial == letter))
}

/// Whether the text before a parenthesis ends with the name.
fn follows(
    text: &str,
    parenthesis: usize,
    core: &[Word<'_>],
    budget: &Budget,
) -> Result<bool, Exceeded> {
    let bytes: usize = core.iter().map(|word| word.text.len() + 4).sum();
    let mut from = parenthesis.saturating_sub(bytes + 12);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    budget.spend(2 * (parenthesis - from))?;
    let before = words(&text[from..parenthesis]);
    let Some(skipped) = before.len().checked_sub(core.len()) else {
        return Ok(false);
    };
    Ok(before[skipped..]
        .iter()
        .zip(core)
        .all(|(one, other)| unaccented(&one.lower) == unaccented(&other.lower)))
}
