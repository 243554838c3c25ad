//! Persons beside their role: `our principal, Amelia Strachan`, `Yurany Ossa, Jefe de Personal`;
//! and addressees of applications: `to Fergal Hanratty, HR, …`.

use super::{
    Cues, Word,
    evidence::{Evidence, evidence, is_given, names_role},
    is_among,
    run::{has_contact, is_followed, is_name, run},
    word_before,
};
use crate::{Range, redact::words::begins_sentence};

const OWN: &str = include_str!("../tables/role_own.txt");
const BETWEEN: &str =
    "will be is heißt ist wird s est es é será è sarà is wordt är heter er on jest je";

/// Verbs after a person who answers questions.
const ANSWERS: &str = include_str!("../tables/answers.txt");

/// Two capitalised words after a word or a comma, not beginning a sentence without a comma.
pub(super) fn may_begin(text: &str, words: &[Word<'_>], at: usize) -> bool {
    let Some([word, next]) = words.get(at..at + 2) else {
        return false;
    };
    next.is_upper()
        && matches!(&text[word.end()..next.start], " " | "-")
        && is_name(word)
        && is_name(next)
        && !word_before(words, at).is_some_and(|before| {
            before.is_upper() && &text[before.end()..word.start] == " " && !names_role(before)
        })
}

pub(super) fn beside(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let end = run(text, words, at);
    let names = words
        .get(at..end)
        .filter(|names| (2..=4).contains(&names.len()))?;
    let other = Cues::PLACE
        | Cues::REGION
        | Cues::LEGAL
        | Cues::TITLE
        | Cues::AFFIX
        | Cues::STREET_BEFORE
        | Cues::LANGUAGES;
    let found = evidence(names);
    let is_other = |word: &Word<'_>| word.is(other) && !word.is(Cues::GIVEN);
    let (first, last) = (names.first()?, names.last()?);
    if found == Evidence::Against
        || names.iter().any(names_role)
        || is_other(first)
        || is_other(last)
    {
        return None;
    }
    let range = first.start..last.end();
    let is_known = found == Evidence::For;
    let has_contact = || has_contact(text, range.start);
    let rest = &text[range.end..];
    // "Yurany Ossa, Jefe de Personal"
    let after = rest.strip_prefix(", ").or(rest.strip_prefix(" ("));
    if after.is_some() {
        // "our Talent Acquisition Director", "Practice Manager"
        let mut next = words[end..].iter().take(5);
        let mut reach = range.end + 2;
        let is_near = next.any(|word| {
            let is_beside = word.start <= reach;
            reach = if is_beside { word.end() + 1 } else { 0 };
            is_beside && names_role(word)
        });
        if is_near && (is_known || has_contact()) {
            return Some(range);
        }
    }
    // "Kezia Marsh reads every letter."
    let verb = words.get(end).filter(|verb| verb.start == range.end + 1);
    if begins_sentence(text, range.start)
        && verb.is_some_and(|verb| is_among(ANSWERS, &verb.lower))
        && names.len() <= 3
        && !names.iter().any(Word::is_generic)
    {
        // "Kontorleder Bente Solhaug"
        let given = names[..names.len() - 1].iter().position(is_given);
        return Some(names[given.unwrap_or(0)].start..range.end);
    }
    let before = word_before(words, at)?;
    let gap = &text[before.end()..range.start];
    // "Danışman: Ebru Saygıner."
    if gap == ": " && names_role(before) && names.len() <= 3 && is_followed(text, range.end) {
        return Some(range);
    }
    // "our principal, Amelia Strachan", "Your manager will be Gráinne Ó Sé"
    let verbs = words[at.saturating_sub(3)..at].iter().rev();
    let verbs = verbs
        .take_while(|word| is_among(BETWEEN, &word.lower))
        .count();
    let role = word_before(words, at - verbs).filter(|_| gap == " " || verbs == 0);
    let is_own = words[at.saturating_sub(4)..at]
        .iter()
        .any(|word| is_among(OWN, &word.lower));
    if matches!(gap, " " | ", ")
        && (role.is_some_and(names_role) || (gap == ", " && is_own && is_known && has_contact()))
        && (is_known || is_own)
    {
        return Some(range);
    }
    None
}
