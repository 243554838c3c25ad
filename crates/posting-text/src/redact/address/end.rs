//! Finds the end of an address, after the parts of a house and a postal code.

use super::{
    Cues, List, Word,
    piece::{code_before_city, ends_clause, is_exact, is_roman},
    word_before,
};

/// Written as words.
static ARABIC_ORDINALS: List = List::new(include_str!("../tables/arabic_floors.txt"));
/// Floors and sides without a number.
pub(super) static WHOLE: List = List::new(include_str!("../tables/whole_units.txt"));
const MAX_UNITS: usize = 8;

/// After a range, a letter, and parts of a house.
pub(super) fn end(text: &str, words: &[Word<'_>], at: usize) -> usize {
    let mut end = words[at].end();
    let mut next = at + 1;
    let mut has_sign = false;
    for _ in 0..MAX_UNITS {
        let Some(word) = words.get(next) else { break };
        let gap = &text[end..word.start];
        let following = words.get(next + 1);
        let letter = word.letters() == 1 && word.text.chars().all(char::is_alphabetic);
        let small = word.is_number() && word.letters() <= 4;
        // "of. 604" is an office.
        let is_unit =
            word.is(Cues::UNIT) && (word.lower != "of" || text[word.end()..].starts_with(". "));
        let of_unit = |other: &&Word<'_>| {
            other.text.contains(|c: char| c.is_ascii_digit())
                || (other.text.len() <= 2 && other.is_upper())
                || (!other.text.is_ascii() && ARABIC_ORDINALS.has(other.text))
        };
        // "Rodovia MG-290, 7400"
        let is_house_on_road = next == at + 1
            && small
            && gap == ", "
            && word_before(words, at)
                .is_some_and(|road| road.is_capitals() && road.end() + 1 == words[at].start);
        // "7, 2º B", "33, 2.º Dto"
        let is_ordinal = word.is_number() && word.text.ends_with(['º', 'ª']);
        // In Singapore ", #04-02" is a floor and a door.
        let joined = matches!(gap, "-" | "/" | "–" | " - " | "/ " | ", #" | " #" | " # ");
        // "4.214", "km 7,5"
        let is_part_of_number = matches!(gap, "." | ",")
            && word.is_number()
            && (word.text.len() == 3 || words[next - 1].text.len() == 1);
        let beside = matches!(
            gap,
            " " | ", " | ". " | "., " | "، " | ".º " | "º " | "; " | "."
        );
        let roman = is_roman(word);
        let again = matches!(&*word.lower, "bis" | "ter" | "quater");
        let is_of_unit = || following.as_ref().is_some_and(of_unit);
        let is_before_unit = following.is_some_and(|other| other.is(Cues::UNIT));
        let door = following.filter(|door| door.is(Cues::UNIT) || door.is_letter());
        // Portuguese: the ground floor.
        if beside && matches!(text[word.start..].get(..3), Some("r/c" | "R/C" | "r/ch")) {
            (end, next) = (word.start + 3, next + 2);
            continue;
        }
        // "Carrera 27 # 33 Sur - 58"
        let is_side = gap == " " && matches!(&*word.lower, "sur" | "norte" | "este" | "oeste");
        // "22, #05-12 Vantage Hub, Singapore"
        has_sign |= gap == ", #";
        let is_named = has_sign && gap == " " && word.is_upper();
        let is_floor = next == at + 1 && gap == ". " && is_unit && !word.is_upper();
        let taken = if is_side
            || is_floor
            || is_named && following.is_none_or(|it| !it.is_number())
            || is_part_of_number
            || is_house_on_road
            || (joined && (small || letter))
            || ((joined || gap == " ") && again)
            || (gap == " \"" && letter)
        {
            1
        } else if beside && is_ordinal {
            1 + usize::from(door.is_some())
        } else if gap == ". " && roman && text[word.end()..].starts_with('/')
            || (beside && is_unit && is_of_unit())
            || (beside && (small || roman) && is_before_unit && !gap.starts_with("., "))
        {
            2
        } else if (small && gap == ". " && words[next - 1].is(Cues::UNIT))
            || (gap == " " && is_unit && matches!(words[next - 1].text, "º" | "ª"))
            || (beside && is_unit && WHOLE.has(&word.lower))
        {
            1
        } else if gap == " " && letter && (word.is_upper() || ends_clause(text, word.end())) {
            // "34 C 12"
            let is_door = |door: &Word<'_>| {
                door.is_number() && door.text.len() <= 3 && &text[word.end()..door.start] == " "
            };
            1 + usize::from(words.get(next + 1).is_some_and(is_door))
        } else {
            break;
        };
        next += taken;
        end = words[next - 1].end();
    }
    let code = postal_code(text, words, next, end);
    code.filter(|code| is_exact(text, *code)).unwrap_or(end)
}

/// The end of the code beside an address.
pub(super) fn postal_code(text: &str, words: &[Word<'_>], at: usize, end: usize) -> Option<usize> {
    let gap = &text[end..words.get(at)?.start];
    let is_beside = matches!(gap, ", " | "، " | " · " | " – " | " | " | "., " | "\n");
    is_beside.then(|| code_before_city(text, words, at))?
}
