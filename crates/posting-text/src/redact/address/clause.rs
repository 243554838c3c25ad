//! Addresses that are a clause of their own: beside a contact, or before the city of the posting.

use super::{
    Cues, Hidden, List, Text, Word,
    end::end,
    parts::{is_part, with_parts},
    piece::{MAX_NAME, PARTICLES, begins_clause, ends_clause, is_house, is_name, is_year},
    street::is_compound,
    word_before,
};
use crate::{Range, redact::Kind};

static PLACES: List = List::new(include_str!("../tables/street_prepositions.txt"));
const NONE: [&str; 8] = [
    ", s/n", " s/n", ", s.n.", " snc", ", snc", " FN", ", FN", " b/n",
];

/// `+48 605 118 240, Narutowicza 14.`, `Am Markt 1.`, `Riegrova 14, Olomouc`, `Main Street,
/// Tullamore`
pub(super) fn address(on: Text<'_>, at: usize, found: &[Hidden], city: &str) -> Option<Range> {
    let (text, words, _) = on.parts();
    let start = words[at].start;
    let is_clause = begins_clause(text, start);
    let is_within = !city.is_empty()
        && text[..start].ends_with(' ')
        && word_before(words, at).is_none_or(|it| !it.is_upper());
    // "J. Hoogendijk"
    let is_initial =
        |it: &Word<'_>| it.is_letter() && it.is_upper() && &text[it.end()..start] == ". ";
    if word_before(words, at).is_some_and(is_initial) {
        return None;
    }
    let is_announced = is_announced(text, words, at);
    // "Address: Elm 14"
    let is_named = text[..start].ends_with(": ");
    if !(is_clause || is_within || is_announced) || city.split(' ').next() == Some(words[at].text) {
        return None;
    }
    let last = street_end(text, words, at);
    let street = &words[at..last];
    let has_word = has_word(street) || is_part(street);
    if !is_street(street, has_word) {
        return None;
    }
    let next = words.get(last).filter(|it| {
        let gap = &text[words[last - 1].end()..it.start];
        let may_be_house = is_house(it) && (has_word || !is_year(it));
        may_be_house && matches!(gap, " " | "\u{a0}" | ", " | ". ")
    });
    let (end, is_whole) = if next.is_some() {
        (end(text, words, last), true)
    } else {
        let end = words[last - 1].end();
        let none = NONE.iter().find(|none| text[end..].starts_with(**none));
        (end + none.map_or(0, |none| none.len()), none.is_some())
    };
    let is_before_city = !city.is_empty() && is_before_city(&text[end..], city);
    // "Bd. 21 Decembrie, parter"
    let has_unit = || with_parts(text, words, start..end).end > end;
    let is_beside = || is_beside(text, start..end, found, has_word || street.len() > 1);
    let is_address = if next.is_some() {
        is_before_city && (is_clause || has_word)
            || is_clause && (is_beside() || has_unit())
            || is_announced && (has_word || is_named || street.len() > 1 || has_unit())
    } else {
        let is_sure = words[at].is(Cues::STREET_BEFORE) && text[..start].ends_with(", ");
        let is_sure = is_whole || is_sure || is_beside() || has_unit();
        has_word && (is_clause && is_sure || is_before_city)
    };
    (is_address && (is_before_city || ends_clause(text, end))).then_some(start..end)
}

/// `Find us at Elm Bank 7.`, `Du hittar oss på Norra Hamnen 4.`
fn is_announced(text: &str, words: &[Word<'_>], at: usize) -> bool {
    /// In words.
    const NEAR: usize = 4;
    let near = &words[at.saturating_sub(NEAR)..at];
    let is_after_small = near
        .last()
        .is_some_and(|it| it.is(Cues::LANGUAGES) && it.lower != "the")
        || text[..words[at].start].trim_end().ends_with([':', '?']);
    let between = |it: &Word<'_>| &text[it.end()..words[at].start];
    is_after_small
        && near
            .iter()
            .any(|it| it.is(Cues::ADDRESS) && !between(it).contains(['.', ',', ';', '\n']))
}

/// `, Borås`, ` i Borås`
fn is_before_city(rest: &str, city: &str) -> bool {
    let rest = rest.trim_start_matches([',', ' ']);
    let small = rest.split(' ').next().unwrap_or_default();
    let is_small = small.len() <= 3 && small.chars().all(char::is_lowercase);
    let place = if is_small { &rest[small.len()..] } else { rest };
    let after = place.trim_start().strip_prefix(city);
    after.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn street_end(text: &str, words: &[Word<'_>], at: usize) -> usize {
    let mut last = at + 1;
    while let Some(word) = words.get(last).filter(|_| last - at < MAX_NAME) {
        let before = &words[last - 1];
        // "Bd. 21 Decembrie"
        let is_numbered = words[last - 1].is(Cues::STREET_BEFORE)
            && words.get(last + 1).is_some_and(Word::is_upper);
        let joins = match &text[before.end()..word.start] {
            " " | "\u{a0}" | "-" | "’" | "'" => true,
            ". " => before.letters() <= 3 || before.is(Cues::STREET_BEFORE),
            _ => false,
        };
        let is_part = word.is_upper()
            || word.is(Cues::STREET_AFTER)
            || words[at].is(Cues::STREET_BEFORE)
            || PARTICLES.has(&word.lower);
        if !joins || !is_numbered && (is_house(word) || !is_part) {
            break;
        }
        last += 1;
    }
    let is_numbered = words.get(last).is_some_and(is_house);
    let is_end = |word: &Word<'_>| word.is_upper() || word.is(Cues::STREET_AFTER);
    while !is_numbered && last > at + 1 && !is_end(&words[last - 1]) {
        last -= 1;
    }
    last
}

fn has_word(street: &[Word<'_>]) -> bool {
    let after = |word: &Word<'_>| word.is(Cues::STREET_AFTER) && word.letters() >= 3;
    let first = &street[0];
    let begins = first.is(Cues::STREET_BEFORE) && first.letters() > 1 && street.len() > 1;
    begins || street[1..].iter().any(after) || street.last().is_some_and(is_compound)
}

fn is_street(street: &[Word<'_>], has_word: bool) -> bool {
    const OTHER: Cues = Cues::ID
        .union(Cues::PHONE)
        .union(Cues::PERSON)
        .union(Cues::ADDRESS)
        .union(Cues::LEGAL);
    let first = &street[0];
    let is_other = |word: &Word<'_>| {
        word.is(OTHER) && !word.is(Cues::STREET_AFTER) || !has_word && word.is(Cues::GIVEN)
    };
    // "Bewerbung an H. Brüggenkamp"
    let is_of_person =
        |word: &Word<'_>| word.is_upper() && (word.is_letter() || word.is(Cues::TITLE));
    // "Estamos en Avenida …"
    let is_later = |pair: &[Word<'_>]| !pair[0].is_upper() && pair[1].is(Cues::STREET_BEFORE);
    // German: "An der Mühle"
    let is_place = first.is_upper() && PLACES.has(&first.lower);
    let is_small = first.is(Cues::LANGUAGES) && first.letters() > 2 && !is_place;
    (has_word || street.last().is_some_and(Word::is_upper))
        && !is_small
        && (first.is(Cues::STREET_BEFORE) || !street.windows(2).any(is_later))
        && street.iter().any(|it| is_name(it) && it.letters() >= 4)
        && !street.iter().any(is_other)
        && (first.is(Cues::STREET_BEFORE) || !street[1..].iter().any(is_of_person))
}

/// Whether a contact or a register number is near, on the line. "Windows 11" may be beside one,
/// too, but hardly directly after one.
fn is_beside(text: &str, street: Range, found: &[Hidden], is_long: bool) -> bool {
    /// In bytes, before the address and after it.
    const NEAR: (usize, usize) = (60, 24);
    /// In bytes, if only a sign is between.
    const ADJACENT: usize = 3;
    let is_contact = |other: &&Hidden| {
        !matches!(other.kind, Kind::Company | Kind::Person | Kind::Address)
            // No text is between a street and a domain within it: "0.K acmera.no".
            && text
                .get(other.range.end.min(street.end)..other.range.start.max(street.start))
                .is_none_or(|gap| !gap.contains('\n'))
    };
    let index = found.partition_point(|other| other.range.end <= street.start);
    let before = found[..index].iter().rev().find(is_contact);
    let after = found[index..].iter().find(is_contact);
    let near = if is_long { NEAR } else { (ADJACENT, 0) };
    before.is_some_and(|other| street.start - other.range.end <= near.0)
        || after.is_some_and(|other| {
            let gap = other.range.start.checked_sub(street.end);
            let is_email = other.kind == Kind::Email;
            gap.is_some_and(|gap| gap <= if is_email { near.1 } else { NEAR.1 })
        })
}
