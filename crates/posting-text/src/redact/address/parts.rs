//! The parts of an address: units, buildings, zones and streets, and the text between them.

use super::{
    Cues, List, Word,
    end::{WHOLE, end},
    is_digits,
    piece::{BETWEEN, MAX_NAME, PARTICLES, ends_clause, is_roman},
    word_before,
};
use crate::Range;

static BUILDINGS: List = List::new(include_str!("../tables/buildings.txt"));
static ZONES: List = List::new(include_str!("../tables/zones.txt"));
/// Ends of compounds: `Vattuhuset`.
static HOUSES: List = List::new(include_str!("../tables/houses.txt"));
const QUOTES: [char; 5] = ['.', '"', '“', '”', '»'];
static ORDINALS: List = List::new(include_str!("../tables/ordinals.txt"));
const MAX_PARTS: usize = 3;

/// `4th Floor, Elm Two, 9 Kirk Lane`
pub(super) fn with_parts(text: &str, words: &[Word<'_>], range: Range) -> Range {
    let Range { mut start, mut end } = range;
    // "17-19 Calloway Rise"
    let first = words.partition_point(|word| word.start < start);
    let from = word_before(words, first).filter(|from| from.is_number());
    if let Some(from) = from.filter(|from| matches!(&text[from.end()..start], "-" | "–" | "/")) {
        start = from.start;
    }
    for _ in 0..MAX_PARTS {
        let Some(sign) = BETWEEN.iter().find(|it| text[..start].ends_with(**it)) else {
            break;
        };
        let front = text[..start - sign.len()].trim_end_matches(QUOTES).len();
        // Words of a company's name are no longer there.
        let Ok(last) = words.binary_search_by_key(&front, Word::end) else {
            break;
        };
        let last = last + 1;
        let run = words[..last].windows(2).rev().take(MAX_NAME - 1);
        let run = run.take_while(|pair| joins(text, &pair[0], &pair[1]));
        let first = last.saturating_sub(1 + run.count());
        let Some(first) = (first..last).find(|first| is_part(&words[*first..last])) else {
            break;
        };
        start = words[first].start;
    }
    for _ in 0..MAX_PARTS {
        let rest = text[end..].trim_start_matches(QUOTES);
        let bracket = rest.strip_prefix(" (");
        let after = bracket.or_else(|| BETWEEN.iter().find_map(|it| rest.strip_prefix(it)));
        let Some(rest) = after else { break };
        let begin = text.len() - rest.len();
        let Ok(first) = words.binary_search_by_key(&begin, |word| word.start) else {
            break;
        };
        // "(second floor)", but not "(gate 3)" or "(m/w/d)"
        if bracket.is_some() && !ORDINALS.has(&words[first].lower) {
            break;
        }
        let run = words[first..].windows(2).take(MAX_NAME - 1);
        let run = run.take_while(|pair| joins(text, &pair[0], &pair[1]));
        let last = words.len().min(first + 1 + run.count());
        let mut ends = (first..=last).rev();
        let Some(last) = ends.find(|last| is_part(&words[first..*last])) else {
            break;
        };
        end = words[last - 1].end();
        // "9 Kirk Lane (second floor)"
        end += usize::from(bracket.is_some() && text[end..].starts_with(')'));
    }
    start..end
}

fn joins(text: &str, one: &Word<'_>, other: &Word<'_>) -> bool {
    is_within(text, one, other) && may_be_part(one) && may_be_part(other)
}

/// Whether two words may be of one part, by the text between them.
pub(super) fn is_within(text: &str, before: &Word<'_>, next: &Word<'_>) -> bool {
    const UNITS: Cues = Cues::UNIT.union(Cues::STREET_AFTER);
    match &text[before.end()..next.start] {
        " " | "\u{a0}" | "-" | "–" | "’" | "'" | "’ " | "' " | "/" | "/ " | " #" | " # " | "º "
        | ".º " | " „" | " “" | " \"" | " «" | "» " | "” " | "“ " | "\" " => true,
        " - " | " – " => before.is_number(),
        // "No: 14 K: 6 D: 61"
        ": " => before.is(Cues::UNIT) && next.is_number(),
        // "22. B épület, 9. emelet"
        "." | ". " if before.is_number() => next.is(UNITS) || next.is_letter() || next.is_number(),
        "." | ". " => {
            before.letters() <= 4 && !next.is_number()
                || before.is_letter()
                || before.is(Cues::STREET_BEFORE.union(UNITS))
        }
        _ => false,
    }
}

pub(super) fn may_be_part(word: &Word<'_>) -> bool {
    let is_known = word.is(Cues::STREET_BEFORE | Cues::STREET_AFTER | Cues::UNIT)
        || PARTICLES.has(&word.lower)
        || ZONES.has(&word.lower)
        || BUILDINGS.has(&word.lower)
        || ORDINALS.has(&word.lower)
        || WHOLE.has(&word.lower);
    let is_other = word.letters() >= 3
        && word.is(Cues::PERSON | Cues::PHONE | Cues::ID | Cues::HANDLE | Cues::VERB);
    word.is_upper() && !is_other
        || word.is_number() && word.letters() <= 5
        || word.is_letter()
        || is_known
}

/// A unit with its number, or a name beside a word for a zone, a building or a street.
pub(super) fn is_part(words: &[Word<'_>]) -> bool {
    let is_named = |it: &Word<'_>| it.is_upper() && HOUSES.ends(&it.lower);
    let [first, .., last] = words else {
        return words
            .first()
            .is_some_and(|it| is_named(it) || WHOLE.has(&it.lower));
    };
    let is_postal_code = first.is_number()
        && first.letters() > 3
        && !(words.len() > 2 && (last.is(Cues::STREET_AFTER) || BUILDINGS.has(&last.lower)));
    let has_digit = |it: &Word<'_>| it.text.contains(|c: char| c.is_ascii_digit());
    let is_unit = words.len() <= 3
        && ((first.is(Cues::UNIT)
            && (has_digit(last) || last.is_letter() || is_roman(last) || WHOLE.has(&last.lower)))
            || ((first.is_number() || ORDINALS.has(&first.lower))
                && (last.is(Cues::UNIT) || WHOLE.has(&last.lower))));
    let is_place = |it: &Word<'_>| ZONES.has(&it.lower) || BUILDINGS.has(&it.lower) || is_named(it);
    let is_name = |it: &Word<'_>| {
        (it.is_upper() || it.is_number()) && !ZONES.has(&it.lower) && !BUILDINGS.has(&it.lower)
    };
    let begins = first.is(Cues::STREET_BEFORE) && first.letters() > 1 && last.is_upper();
    let is_named = begins
        || words.iter().any(is_place) && words.iter().any(is_name)
        || last.is_upper() && (last.is(Cues::STREET_AFTER) || first.lower == "the");
    let is_sentence = first.lower != "the"
        && first.is(Cues::LANGUAGES | Cues::PERSON)
        && !(first.is_capitals() && ZONES.has(&first.lower));
    !is_postal_code && (is_unit || is_named && !is_sentence)
}

/// A unit before a building or a street, or after one: `Unit 7, Elm Park`, `Elm Mill, 2nd floor`.
pub(super) fn unit(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let number = &words[at];
    let is_unit = |unit: &Word<'_>| unit.is(Cues::UNIT) && unit.lower != "of";
    let is_house = |it: &Word<'_>| it.is_upper() && BUILDINGS.has(&it.lower);
    let before = word_before(words, at)
        .filter(|unit| (is_unit(unit) || is_house(unit)) && &text[unit.end()..number.start] == " ");
    let after = words.get(at + 1).filter(|unit| is_unit(unit));
    let gap = after.map_or("", |unit| &text[number.end()..unit.start]);
    let range = match (before, after) {
        (Some(unit), _) => unit.start..end(text, words, at),
        (None, Some(unit)) if matches!(gap, " " | ". ") => number.start..unit.end(),
        _ => return None,
    };
    let whole = with_parts(text, words, range.clone());
    let is_floor = before.is_some() || gap == ". " || !is_digits(number.text);
    let is_after = is_floor && whole.start < range.start && ends_clause(text, range.end);
    (whole.end > range.end || is_after).then_some(whole)
}
