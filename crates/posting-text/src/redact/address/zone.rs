//! Business parks and industrial estates: they are addresses without a street, too.

use super::{
    Cues, List, Word, begins_sentence,
    parts::{is_within, may_be_part, with_parts},
    piece::{MAX_NAME, begins_clause, ends_clause},
};
use crate::Range;

/// Beginnings of words for industry, business and technology.
static KINDS: List = List::new(include_str!("../tables/zone_kinds.txt"));
/// Words, and ends of compounds, for a zone.
static ZONES: List = List::new(include_str!("../tables/zone_nouns.txt"));
/// Abbreviations and words that are both.
static WHOLE: List = List::new(include_str!("../tables/zone_words.txt"));
/// The name is before these.
static AFTER: List = List::new("park estate parks bölgesi sitesi bölge sanayi");

/// `Brinkdale Trading Estate`, `bedrijventerrein Eemdal`, `Zone artisanale du Ponteix`
pub(super) fn zone(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let word = &words[at];
    let is_kind = KINDS.begins(&word.lower);
    let is_whole = WHOLE.has(&word.lower) && (word.letters() > 3 || word.is_capitals());
    if !is_kind && !is_whole {
        return None;
    }
    let beside = |other: usize| {
        let noun = words.get(other)?;
        let (one, next) = (&words[at.min(other)], &words[at.max(other)]);
        let between = &text[one.end()..next.start];
        let is_near = matches!(between, " " | "\u{a0}" | "-" | " d’" | " d'" | " de ");
        (is_near && ZONES.has(&noun.lower)).then_some((at.min(other), at.max(other)))
    };
    let apart = || at.checked_sub(2).and_then(beside);
    let (first, last) = if is_whole || ZONES.ends(&word.lower) {
        (at, at)
    } else {
        let before = at.checked_sub(1).and_then(beside);
        beside(at + 1).or(before).or_else(apart)?
    };
    let is_name = |it: &Word<'_>| {
        let is_small = it.is(Cues::LANGUAGES | Cues::PERSON | Cues::ADDRESS | Cues::VERB);
        it.is_upper() && !(is_small && (it.letters() <= 3 || begins_sentence(text, it.start)))
    };
    let fits = |one: &Word<'_>, next: &Word<'_>| is_within(text, one, next) && may_be_part(next);
    let before = words[..=first].windows(2).rev().take(MAX_NAME);
    let before = before.take_while(|pair| is_within(text, &pair[0], &pair[1]) && is_name(&pair[0]));
    let start = first - before.count();
    let after = words[last..].windows(2).take(MAX_NAME);
    let after = after.take_while(|pair| fits(&pair[0], &pair[1])).count();
    let is_end = |end: &usize| words[*end].is_upper() || words[*end].is_number();
    let end = (last + 1..=last + after).rev().find(is_end).unwrap_or(last);
    let is_named = words[last + 1..=end].iter().any(is_name);
    let is_after = start < first && AFTER.ends(&words[last].lower);
    let is_sure = is_after && matches!(&*words[last].lower, "park" | "estate");
    let whole = if is_after {
        words[start].start..words[last].end()
    } else if is_named && !(AFTER.has(&words[last].lower) && first < last) {
        words[first].start..words[end].end()
    } else {
        return None;
    };
    // "in the zone Nordfeld" may be a district.
    let address = with_parts(text, words, whole.clone());
    let is_clause = begins_clause(text, whole.start) && ends_clause(text, whole.end);
    (is_sure || is_clause || address != whole).then_some(address)
}
