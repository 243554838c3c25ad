//! Finds acronyms of a company that a text introduces or uses, and the words that it spells out.

use super::{
    cues::Cues,
    key::{self, Case},
    vocabulary::{ACRONYMS, List},
    words::{Text, Word, unaccented, word_before, words},
};
use crate::{Budget, Result};

const MAX_LETTERS: usize = 10;
/// Small words may be left out or not, so there are several ways to compare.
const MAX_PLACES: usize = 1_000;
/// Shorter acronyms take one letter of each word.
const MIN_SYLLABIC: usize = 5;
/// A compound of this length may give a second letter.
const COMPOUND: usize = 9;

/// Returns the places of words that look like acronyms.
pub(super) fn places(all: &[Word<'_>]) -> Vec<usize> {
    let is_cased = |word: &Word<'_>| word.lower != word.text;
    let places = all.iter().enumerate();
    let acronyms = places.filter(|(_, word)| is_cased(word) && is_acronym(word));
    acronyms.map(|(at, _)| at).collect()
}

/// Returns at most `most` of the text's `acronyms` that belong to a name: initials, with or without
/// small words, to its end or to any word from the third on; and those introduced after the name.
pub(super) fn of_name(
    core: &[Word<'_>],
    on: Text<'_>,
    acronyms: &[usize],
    most: usize,
) -> Result<Vec<(String, Case)>> {
    let (text, all, budget) = on.parts();
    let content = core.iter().filter(|word| !word.is_small()).count();
    if content < 2 {
        return Ok(Vec::new());
    }
    budget.spend(acronyms.len())?;
    let plain = core
        .iter()
        .map(|word| (unaccented(&word.lower), word.is_small()));
    let plain: Vec<(String, bool)> = plain.collect();
    let firsts: Vec<char> = core
        .iter()
        .take(3)
        .map(|word| key::initial(&word.lower))
        .collect();
    let mut out: Vec<(String, Case)> = Vec::new();
    for (at, word) in acronyms.iter().map(|at| (*at, &all[*at])) {
        if !firsts.contains(&key::initial(&word.lower)) {
            continue;
        }
        budget.spend(1 + out.len())?;
        if ACRONYMS.has(word.text) || out.iter().any(|(known, _)| *known == word.lower) {
            continue;
        }
        let letters = word.lower.chars().count();
        let introduced = is_in_parentheses(word, text) && follows(text, word.start, core, budget)?;
        let named = (letters >= 3 || (content == 2 && may_be_acronym(all, at, text)))
            && (spells(&plain, word, content, budget)?
                || (letters >= MIN_SYLLABIC && has_syllables(&plain, &word.lower, budget)?));
        if named || introduced {
            let is_mixed = word.text.chars().any(char::is_lowercase);
            let case = if is_mixed { Case::Capital } else { Case::Upper };
            out.push((word.lower.to_string(), case));
            if out.len() == most {
                break;
            }
        }
    }
    Ok(out)
}

/// `AVIZIG` of `Alföldi Vízügyi Igazgatóság`, as in the east of Europe.
fn has_syllables(name: &[(String, bool)], acronym: &str, budget: &Budget) -> Result<bool> {
    const MAX_SYLLABLE: usize = 4;
    let letters: Vec<char> = unaccented(acronym).chars().collect();
    let mut reached = vec![false; letters.len() + 1];
    reached[0] = true;
    for (word, is_small) in name {
        budget.spend(letters.len() * MAX_SYLLABLE)?;
        let mut next = if *is_small {
            reached.clone()
        } else {
            vec![false; letters.len() + 1]
        };
        for from in (0..letters.len()).filter(|from| reached[*from]) {
            let given = word.chars().take(MAX_SYLLABLE).zip(&letters[from..]);
            for (count, _) in given.take_while(|(c, letter)| c == *letter).enumerate() {
                next[from + count + 1] = true;
            }
        }
        reached = next;
    }
    Ok(reached.last() == Some(&true))
}

static SHOUTED: List =
    List::new("NO OK OR AS IT US AM IF SO GO DO WE HE ME MY IN ON AT TO OF BY UP AN DU IM ZU");

/// Whether two capitals are an acronym: not a unit, a state or a shouted word.
fn may_be_acronym(all: &[Word<'_>], at: usize, text: &str) -> bool {
    let word = &all[at];
    let (before, after) = (&text[..word.start], &text[word.end()..]);
    // A legal form after them makes them a name.
    if all
        .get(at + 1)
        .is_some_and(|next| next.is_capitals() && next.is(Cues::LEGAL))
    {
        return true;
    }
    // "Miami, FL", "AC/DC"
    let joined = before.ends_with(['/', '-', '+'])
        || before.ends_with(", ")
        || after.starts_with(['/', '+']);
    let counted = word_before(all, at)
        .is_some_and(|other| word.start - other.end() <= 2 && other.is_number());
    !SHOUTED.has(word.text) && !counted && !joined
}

/// Whether an acronym spells the words of a name in order. Each word gives its initial; a small
/// word may give none, a long word up to three letters. A letter in lower case is only the initial
/// of a small word (`DDFiP`).
fn spells(
    name: &[(String, bool)],
    acronym: &Word<'_>,
    content: usize,
    budget: &Budget,
) -> Result<bool> {
    let plain = |c: char| unaccented(&c.to_lowercase().to_string()).chars().next();
    let letters: Vec<(char, bool)> = acronym
        .text
        .chars()
        .filter_map(|c| Some((plain(c)?, c.is_uppercase())))
        .collect();
    // The next word, the next letter, and how many words gave one.
    let mut open = vec![(0, 0, 0)];
    // Each place opens few others, and names and acronyms are short; the budget holds the rest.
    let mut places = 0;
    while let Some((at, first, used)) = open.pop() {
        budget.spend(1)?;
        places += 1;
        if places > MAX_PLACES {
            return Ok(false);
        }
        if first == letters.len() {
            if used >= 2 && (used == content || letters.len() >= 3) {
                return Ok(true);
            }
            continue;
        }
        let Some((word, is_small)) = name.get(at) else {
            continue;
        };
        if *is_small {
            open.push((at + 1, first, used));
        }
        let (letter, is_upper) = letters[first];
        if !word.starts_with(letter) || !(is_upper || *is_small) {
            continue;
        }
        let used = used + usize::from(!*is_small);
        let mut next = first + 1;
        open.push((at + 1, next, used));
        // "IT" in a name gives both.
        let long = matches!(word.chars().count(), 2..=3 | COMPOUND..);
        let mut rest = word.chars();
        rest.next();
        while let Some((letter, is_upper)) = letters.get(next) {
            let is_third = next > first + 2;
            if is_third || (*is_upper && !long) || !rest.any(|c| c == *letter) {
                break;
            }
            next += 1;
            open.push((at + 1, next, used));
        }
    }
    Ok(false)
}

fn is_acronym(word: &Word<'_>) -> bool {
    let (mut upper, mut lower, mut all) = (0, 0, 0);
    for c in word.text.chars().take(MAX_LETTERS + 1) {
        all += 1;
        upper += usize::from(c.is_uppercase());
        lower += usize::from(c.is_lowercase());
    }
    let is_capitals = upper >= 2 && lower <= 2 && lower < upper;
    // "NordKra" of "Nordlys Kraft": a syllable of each of two words.
    let is_syllables = all >= MIN_SYLLABIC && upper == 2 && lower + upper == all;
    (2..=MAX_LETTERS).contains(&all) && (is_capitals || (is_syllables && word.is_upper()))
}

fn is_in_parentheses(word: &Word<'_>, text: &str) -> bool {
    /// `(die KV)`
    const MAX_ARTICLE: usize = 3;
    let from = text.ceil_char_boundary(word.start.saturating_sub(MAX_ARTICLE + 2));
    let opens = || {
        let (_, article) = text[from..word.start].trim_end().rsplit_once('(')?;
        Some(article.len() <= MAX_ARTICLE && article.chars().all(char::is_lowercase))
    };
    text[word.end()..].starts_with(')') && opens() == Some(true)
}

fn follows(text: &str, parenthesis: usize, core: &[Word<'_>], budget: &Budget) -> Result<bool> {
    let bytes: usize = core.iter().map(|word| word.text.len() + 4).sum();
    let from = text.ceil_char_boundary(parenthesis.saturating_sub(bytes + 24));
    budget.spend(2 * (parenthesis - from))?;
    let before = words(&text[from..parenthesis]);
    let is_core = |part: &[Word<'_>]| {
        let mut pairs = part.iter().zip(core);
        pairs.all(|(one, other)| unaccented(&one.lower) == unaccented(&other.lower))
    };
    // The text may have a legal form and an article between them.
    let is_form = |word: &Word<'_>| word.is(Cues::LEGAL) || word.text.chars().nth(2).is_none();
    let between = before.iter().rev().take_while(|word| is_form(word)).count();
    let mut windows = before.windows(core.len()).rev().take(between + 1);
    Ok(windows.any(is_core))
}
