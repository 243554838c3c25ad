//! Parts of an address between commas: a unit, a building, a further street; and addresses known by
//! their place in a clause.

use super::{
    Cues, Word,
    beside::begins_clause,
    end::end,
    is_among,
    street::{MAX_NAME, PARTICLES, is_name},
    word_before,
};
use crate::Range;

const BUILDINGS: &str = include_str!("../tables/buildings.txt");
/// On each side.
const MAX_PARTS: usize = 3;

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
                ))
            && (word.is_upper() || word.is_number() || (last == first && word.is(Cues::UNIT)))
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
        && ((first.is(Cues::UNIT) && last.is_number())
            || (first.is_number() && last.is(Cues::UNIT)));
    let is_named = words.len() >= 2
        && is_name(last)
        && (is_among(BUILDINGS, &last.lower) || last.is(Cues::STREET_AFTER))
        && !first.is(Cues::LANGUAGES | Cues::PERSON);
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
        _ => number.end(),
    };
    let whole = with_parts(text, words, start..end);
    (whole.end > end).then_some(whole)
}

/// German: `Am Markt 1`, `An der Mühle 12a`.
pub(super) fn at_place(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    const PLACES: &str = "am im an auf zum zur in unter hinter vor bei alter alte altes neuer neue";
    const OTHERS: &str = "\
        montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz april mai \
        juni juli august september oktober november dezember jahr team monat tag standort schnitt \
        umfang bereich rahmen raum alter durchschnitt block level stufe klasse phase";
    let name = word_before(words, at).filter(|name| is_name(name) && name.letters() >= 3)?;
    let mut first = at - 1;
    let mut look = first;
    for _ in 0..3 {
        let Some(before) = word_before(words, look) else {
            break;
        };
        if &text[before.end()..words[look].start] != " " {
            break;
        }
        look -= 1;
        if is_among(PLACES, &before.lower) && before.is_upper() {
            first = look;
            break;
        }
        if !matches!(
            &*before.lower,
            "der" | "dem" | "den" | "alten" | "neuen" | "hohen"
        ) {
            break;
        }
    }
    let is_number = words[at]
        .text
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count()
        <= 3;
    let end = end(text, words, at).end;
    let is_last =
        text[end..].is_empty() || text[end..].starts_with([',', '.', ';', ')', '\n', '|']);
    let is_beside = &text[name.end()..words[at].start] == " ";
    let is_street = first < at - 1 && is_beside && is_number && is_last;
    (is_street && !is_among(OTHERS, &name.lower) && begins_clause(text, words[first].start))
        .then(|| words[first].start..end)
}

/// A street without a number between commas: `place de la République, …`.
pub(super) fn alone(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    const STREETS: &str = "\
        rue avenue boulevard place allée quai chemin impasse calle avenida plaza paseo camino camí carrer \
        rua travessa praça largo estrada via viale piazza strada ulica улица вулиця бульвар проспект";
    let street = &words[at];
    if !begins_clause(text, street.start)
        || text[..street.start].ends_with('\n')
        || !is_among(STREETS, &street.lower)
    {
        return None;
    }
    let mut end = None;
    for pair in words[at..].windows(2).take(MAX_NAME) {
        let joins = matches!(
            &text[pair[0].end()..pair[1].start],
            " " | "-" | "’" | "'" | "\u{a0}"
        );
        if !joins || !(is_name(&pair[1]) || is_among(PARTICLES, &pair[1].lower)) {
            break;
        }
        end = Some(pair[1].end()).filter(|_| is_name(&pair[1])).or(end);
    }
    let end = end?;
    let rest = &text[end..];
    let without = [", s/n", " s/n", ", s.n."]
        .iter()
        .find(|none| rest.starts_with(**none));
    let goes_on = rest
        .trim_start_matches([',', ' '])
        .trim_start_matches(['n', 'N', 'º', '.', '°', '#']);
    if without.is_none()
        && goes_on
            .trim_start()
            .starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let is_last =
        without.is_some() || rest.starts_with([',', ';', ')', '\n', '.']) || rest.is_empty();
    is_last.then(|| street.start..end + without.map_or(0, |none| none.len()))
}
