//! Finds a company's name inside a longer word: hashtags, handles and camel case.

use super::{
    cues::{self, Cues},
    key::{Case, Key, Match},
    words::{Text, Word, unaccented},
};
use crate::{Budget, Range, Result};

/// A shorter name occurs in other words by chance.
const MIN_LENGTH: usize = 4;

/// All of `#lifeatexample` and `@examplejobs`, only the name in `MyExample` and `LifeAtExample`.
pub(super) fn find<'k>(
    keys: impl Iterator<Item = &'k Key>,
    word: &Word<'_>,
    text: &str,
    budget: &Budget,
) -> Result<Option<Range>> {
    let tagged = is_tag(word, text);
    let tag = if tagged {
        unaccented(&word.lower)
    } else {
        String::new()
    };
    let mut inner = None;
    for key in keys {
        budget.spend(tag.len() + word.text.len())?;
        // "#LifeAtABC"
        let front = || word.text.strip_suffix(&*key.joined.to_uppercase());
        let ends = || front().is_some_and(|front| front.ends_with(char::is_lowercase));
        if tagged && key.case == Case::Upper && ends() {
            return Ok(Some(word.start..word.end()));
        }
        if key.case == Case::Upper || key.joined.chars().nth(MIN_LENGTH - 1).is_none() {
            continue;
        }
        // An ordinary word counts only at the start or end of the tag.
        let name = key.joined.as_str();
        let is_at_end = || tag.starts_with(name) || tag.ends_with(name);
        let is_inner = || !cues::are_of(name, Cues::GENERIC) && tag.contains(name);
        if tagged && (is_at_end() || is_inner()) {
            return Ok(Some(word.start..word.end()));
        }
        inner = inner.or_else(|| at_inner_capital(key, word));
    }
    Ok(inner.map(|range| word.start + range.start..word.start + range.end))
}

/// `A c m e r a`. Returns the end and the next word.
pub(super) fn spaced_out(keys: &[Key], on: Text<'_>, at: usize) -> Result<Match> {
    const MAX_LETTERS: usize = 40;
    let (text, words, budget) = on.parts();
    let is_letter = |word: &Word<'_>| word.is_letter() && !word.is_number();
    let mut letters = String::new();
    let mut ends = Vec::new();
    for (number, word) in words[at..].iter().take(MAX_LETTERS).enumerate() {
        let is_beside = number == 0
            || matches!(
                &text[words[at + number - 1].end()..word.start],
                " " | "." | "-" | "_"
            );
        if !is_beside || !is_letter(word) {
            break;
        }
        letters.push_str(&word.lower);
        ends.push((letters.len(), word.end()));
    }
    budget.spend(ends.len() + keys.len())?;
    if ends.len() < MIN_LENGTH {
        return Ok(None);
    }
    let fits = |key: &&Key| {
        key.joined.chars().nth(MIN_LENGTH - 1).is_some() && letters.starts_with(&*key.joined)
    };
    let longest = keys.iter().filter(fits);
    let longest = longest.map(|key| key.joined.len()).max();
    Ok(longest.and_then(|length| {
        let number = ends.iter().position(|(end, _)| *end == length)?;
        Some((ends[number].1, at + number + 1))
    }))
}

pub(super) fn may_have(word: &Word<'_>, text: &str) -> bool {
    word.text.len() > MIN_LENGTH && (has_inner_capital(word.text) || is_tag(word, text))
}

/// A hashtag or a handle does not show how the text writes the word.
pub(super) fn is_tag(word: &Word<'_>, text: &str) -> bool {
    text[..word.start].ends_with(['#', '@', '＠', '＃'])
}

fn has_inner_capital(word: &str) -> bool {
    word.as_bytes()
        .windows(2)
        .any(|pair| !pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase())
}

/// Starts at a capital inside a word, and ends with it or before the next capital.
fn at_inner_capital(key: &Key, word: &Word<'_>) -> Option<Range> {
    if word.lower.len() != word.text.len() {
        return None;
    }
    word.lower
        .match_indices(key.joined.as_str())
        .map(|(at, name)| at..at + name.len())
        .find(|range| {
            let after = &word.text[range.end..];
            let starts = word.text[..range.start].ends_with(|c: char| !c.is_uppercase())
                && word.text[range.start..].starts_with(char::is_uppercase);
            starts && (!after.starts_with(char::is_lowercase) || after == "s")
        })
}
