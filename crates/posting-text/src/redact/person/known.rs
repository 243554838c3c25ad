//! Persons by their names alone: a given name of the table with a family name (`work with Tilda
//! Marsh`), or after a word that persons follow (`ask Wilfred`).

use super::{
    Cues, List, Word,
    evidence::{UNSURE, is_given, is_other, is_particle, names_role},
    roles::joins,
    run::run,
    word_before,
};
use crate::{
    Range,
    redact::{inflect, words::begins_sentence},
};

/// Families after whom things are called: `Maria Montessori`, `John Deere`.
static RENOWNED: List = List::new(include_str!("../tables/renowned.txt"));
static BEFORE: List = List::new(include_str!("../tables/before_person.txt"));
/// In "Tilda and the whole team".
static TEAMS: List = List::new(include_str!("../tables/teams.txt"));
static AFTER: List = List::new(include_str!("../tables/after_person.txt"));
/// Ends of places and things that are called after persons.
static CALLED: List = List::new(include_str!("../tables/called_after.txt"));

pub(super) fn known(text: &str, words: &[Word<'_>], at: usize, families: Cues) -> Option<Range> {
    let first = &words[at];
    if is_other(first) {
        return None;
    }
    // "the CTO, Tilda"
    let is_beside = |gap: &str, it: &Word<'_>| gap == " " || gap == ", " && names_role(it);
    let before = word_before(words, at).filter(|it| is_beside(&text[it.end()..first.start], it));
    let is_free = before.is_none_or(|it| {
        !it.is_upper() || names_role(it) || BEFORE.has(&it.lower) || begins_sentence(text, it.start)
    });
    let has_case = || {
        let is_small = |it: &Word<'_>| it.is(families) || BEFORE.has(&it.lower);
        (inflect::WITH_CASES.contains(families) && before.is_none_or(is_small)
            || !first.text.is_ascii())
            && is_given(first)
    };
    let is_known = is_free && (first.is(Cues::GIVEN) || has_case());
    if !is_known || names_role(first) {
        return None;
    }
    let is_paired = is_pair(text, words, at);
    if UNSURE.has(&first.lower) {
        return is_paired.then(|| first.start..first.end());
    }
    let names = words.get(at..run(text, words, at))?;
    // "Tilda Marsh y Ana"
    let is_and = |word: &Word<'_>| matches!(&*word.lower, "y" | "e");
    let names = names.split(is_and).next()?;
    let last = names.last()?;
    let is_plain =
        |word: &Word<'_>| (!is_other(word) || is_particle(word)) && !RENOWNED.has(&word.lower);
    if !names.iter().all(is_plain) || goes_on(&text[last.end()..]) {
        return None;
    }
    let range = first.start..last.end();
    let is_full = names.len() <= 4
        && text[range.clone()].contains([' ', '\u{a0}'])
        && last.letters() > 2
        && !CALLED.ends(&last.lower);
    let is_after = before.is_some_and(|it| BEFORE.has(&it.lower) || names_role(it));
    let is_before = families == Cues::TURKISH && text[range.end..].starts_with(['\'', '’'])
        || is_subject(text, range.end, &words[at + names.len()..])
            && (before.is_some() || first.letters() > 3);
    let is_single = names.len() <= 2 && first.letters() > 2 && (is_after || is_before || is_paired);
    (is_full || is_single).then_some(range)
}

/// Two given names, of which at least one is sure: `Tilda und Mira`.
fn is_pair(text: &str, words: &[Word<'_>], at: usize) -> bool {
    let is_name = |it: &Word<'_>| {
        it.is(Cues::GIVEN) && !is_other(it) && it.is_upper() && !RENOWNED.has(&it.lower)
    };
    matches!(words.get(at..at + 3), Some([first, and, second])
        if joins(and)
            && second.start - first.end() == and.text.len() + 2
            && is_name(first)
            && is_name(second)
            && !(UNSURE.has(&first.lower) && UNSURE.has(&second.lower))
            && !goes_on(&text[second.end()..]))
}

/// Before a verb, a relative clause or further people: `Tilda shows you`, `Tilda and the team`.
fn is_subject(text: &str, end: usize, next: &[Word<'_>]) -> bool {
    let Some(first) = next.first() else {
        return false;
    };
    let is_team = |pair: &[Word<'_>]| TEAMS.has(&pair[1].lower);
    let is_near = |pair: &&[Word<'_>]| &text[pair[0].end()..pair[1].start] == " ";
    matches!(&text[end..first.start], " " | ", ") && AFTER.has(&first.lower)
        || joins(first) && next.windows(2).take(4).take_while(is_near).any(is_team)
}

/// `Tilda Marsh & Sons`, `Natasha's Law`
fn goes_on(rest: &str) -> bool {
    let is_name = |rest: &str| rest.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let rest = rest.trim_start_matches(['\'', '’']);
    let rest = rest.trim_start_matches(char::is_lowercase);
    rest.starts_with(['-', '&', '+', '@', '/', '_'])
        || rest
            .strip_prefix(' ')
            .is_some_and(|rest| rest.starts_with(['&', '+']) || is_name(rest))
}
