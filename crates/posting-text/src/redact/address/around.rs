//! Parts of an address between commas: a unit, a building, a further street.

use super::{
    Cues, Word,
    end::end,
    is_among,
    street::{MAX_NAME, PARTICLES, is_name},
    word_before,
};
use crate::Range;

const BUILDINGS: &str = include_str!("../tables/buildings.txt");
pub(super) const ZONES: &str = include_str!("../tables/zones.txt");
const MAX_PARTS: usize = 3;
/// From "c/o" to the street, in bytes.
const MAX_CARE: usize = 48;

/// `4th Floor, Elm Two, 9 Kirk Lane`
pub(super) fn with_parts(text: &str, words: &[Word<'_>], range: Range) -> Range {
    let Range { mut start, mut end } = range;
    for _ in 0..MAX_PARTS {
        let Some(front) = text[..start].strip_suffix(", ") else {
            break;
        };
        let last = words.partition_point(|word| word.end() <= front.len());
        let mut first = last;
        while let Some(word) = word_before(words, first)
            && last - first < MAX_NAME
            && (first == last && word.end() == front.len()
                || first < last
                    && matches!(&text[word.end()..words[first].start], " " | "-" | "’" | "'"))
            && (word.is_upper() || word.is_number() || word.is(Cues::UNIT))
        {
            first -= 1;
        }
        if !is_part(words.get(first..last).unwrap_or_default()) {
            break;
        }
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
        let mut last = first;
        while let Some(word) = words.get(last)
            && last - first < MAX_NAME
            && (last == first
                || matches!(
                    &text[words[last - 1].end()..word.start],
                    " " | "-" | "’" | "'" | " #"
                )
                || (last == first + 1
                    && is_among(ZONES, &words[first].lower)
                    && text[words[first].end()..].starts_with(". ")))
            && (word.is_upper()
                || word.is_number()
                || (last == first && word.is(Cues::UNIT))
                || (last > first && is_among(PARTICLES, &word.lower)))
        {
            last += 1;
        }
        if !is_part(words.get(first..last).unwrap_or_default()) {
            break;
        }
        end = words[last - 1].end();
    }
    start..end
}

/// A unit with its number, or a name that ends in a word for a building or a street.
fn is_part(words: &[Word<'_>]) -> bool {
    let Some((first, last)) = words.first().zip(words.last()) else {
        return false;
    };
    let is_unit = words.len() == 2
        && ((first.is(Cues::UNIT) && (last.is_number() || last.is_letter()))
            || (first.is_number() && last.is(Cues::UNIT)));
    let is_named = words.len() >= 2
        && is_name(last)
        && (is_among(BUILDINGS, &last.lower)
            || last.is(Cues::STREET_AFTER)
            || is_among(ZONES, &first.lower)
            || first.lower == "the")
        && (first.lower == "the" || !first.is(Cues::LANGUAGES | Cues::PERSON));
    is_unit || is_named
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
    (whole.end > end).then_some(whole)
}
