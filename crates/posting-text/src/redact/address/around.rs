//! Parts of an address between commas: a unit, a building, a further street.

use super::{
    Cues, Word,
    end::{end, is_roman},
    is_among,
    street::{MAX_NAME, PARTICLES, is_name},
    word_before,
};
use crate::{Range, redact::vocabulary::without_ending};

const BUILDINGS: &str = include_str!("../tables/buildings.txt");
const ZONES: &str = include_str!("../tables/zones.txt");
const ORDINALS: &str =
    "ground lower upper top first second third fourth fifth sixth premier primo erster";
const MAX_PARTS: usize = 3;
/// From "c/o" to the street, in bytes.
const MAX_CARE: usize = 48;

/// `4th Floor, Elm Two, 9 Kirk Lane`
pub(super) fn with_parts(text: &str, words: &[Word<'_>], range: Range) -> Range {
    let Range { mut start, mut end } = range;
    // "17-19 Calloway Rise"
    let first = words.partition_point(|word| word.start < start);
    if let Some(from) = word_before(words, first)
        && from.is_number()
        && matches!(&text[from.end()..start], "-" | "–" | " - " | "/")
        && words.get(first).is_some_and(Word::is_number)
    {
        start = from.start;
    }
    for _ in 0..MAX_PARTS {
        let Some(front) = text[..start].strip_suffix(", ") else {
            break;
        };
        let front = front.trim_end_matches('.').len();
        let last = words.partition_point(|word| word.end() <= front);
        if word_before(words, last).is_none_or(|word| word.end() < front) {
            break;
        }
        let run = words[..last].windows(2).rev().take(MAX_NAME - 1);
        let run = run.take_while(|pair| joins(text, &pair[0], &pair[1]));
        let first = last - 1 - run.count();
        let Some(first) = (first..last).find(|first| is_part(&words[*first..last])) else {
            break;
        };
        start = words[first].start;
    }
    // "c/o Werkhalle Ost, Dock Road 9"
    let near = text.ceil_char_boundary(start.saturating_sub(MAX_CARE));
    let care = text[near..start].rfind("c/o ").map(|at| near + at);
    start = care
        .filter(|at| !text[*at..start].contains('\n'))
        .unwrap_or(start);
    for _ in 0..MAX_PARTS {
        let Some(rest) = text[end..].strip_prefix(", ") else {
            break;
        };
        let first = words.partition_point(|word| word.start < text.len() - rest.len());
        let run = words[first..].windows(2).take(MAX_NAME - 1);
        let run = run.take_while(|pair| joins(text, &pair[0], &pair[1]));
        let last = words.len().min(first + 1 + run.count());
        let Some(last) = (first..=last)
            .rev()
            .find(|last| is_part(&words[first..*last]))
        else {
            break;
        };
        end = words[last - 1].end();
    }
    start..end
}

/// Whether two words may be of one part.
fn joins(text: &str, one: &Word<'_>, other: &Word<'_>) -> bool {
    let may_be = |word: &Word<'_>| {
        word.is_upper()
            || word.is_number()
            || word.is(Cues::UNIT)
            || is_among(PARTICLES, &word.lower)
            || is_among(ZONES, &word.lower)
    };
    let gap = &text[one.end()..other.start];
    (matches!(gap, " " | "-" | "’" | "'" | " #")
        || matches!(gap, "." | ". ") && one.is_letter()
        || gap == ". " && is_among(ZONES, &one.lower))
        && may_be(one)
        && may_be(other)
}

/// A unit with its number, a zone, or a name that ends in a word for a building or a street.
pub(super) fn is_part(words: &[Word<'_>]) -> bool {
    let Some((first, last)) = words.first().zip(words.last()) else {
        return false;
    };
    let is_unit = words.len() == 2
        && ((first.is(Cues::UNIT) && (last.is_number() || last.is_letter() || is_roman(last)))
            || ((first.is_number() || is_among(ORDINALS, &first.lower)) && last.is(Cues::UNIT)));
    let is_zone =
        words.len() >= 2 && is_among(ZONES, &first.lower) && (last.is_upper() || last.is_number());
    let is_named = words.len() >= 2
        && last.is_upper()
        && (is_among(BUILDINGS, &last.lower)
            || last.is(Cues::STREET_AFTER)
            || first.lower == "the")
        && (first.lower == "the" || !first.is(Cues::LANGUAGES | Cues::PERSON));
    // "P.I. Norte"
    let is_initials = words.len() >= 3 && first.text == "P" && words[1].text == "I";
    is_unit || is_zone || is_named || is_initials || words.len() == 1 && is_court(last)
}

/// The single word for a building: `Gerberhof`.
fn is_court(word: &Word<'_>) -> bool {
    const ENDINGS: &str = "hof haus park turm passage quartier center zentrum palais speicher";
    is_name(word) && without_ending(ENDINGS, &word.lower).is_some_and(|front| front.len() >= 4)
}

/// A unit before a building or a street: `Unit 7, Elm Park`, `2nd floor, Dock Road`.
pub(super) fn unit(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let number = &words[at];
    let before = word_before(words, at).filter(|unit| {
        unit.is(Cues::UNIT) && unit.is_upper() && &text[unit.end()..number.start] == " "
    });
    let after = words.get(at + 1).filter(|unit| {
        before.is_none() && unit.is(Cues::UNIT) && &text[number.end()..unit.start] == " "
    });
    let start = before.map_or(number.start, |unit| unit.start);
    let end = match (before, after) {
        (None, None) => return None,
        (_, Some(unit)) => unit.end(),
        _ => end(text, words, at).end,
    };
    let whole = with_parts(text, words, start..end);
    (whole.end > end || before.is_some() && whole.start < start).then_some(whole)
}
