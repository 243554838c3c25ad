//! Addresses by a word for a street, or by a number between a name and a postal code.

use super::{
    Cues, Word, begins_sentence,
    end::end,
    piece::{MAX_NAME, PARTICLES},
    word_before,
};
use crate::{
    Range,
    redact::{cues, id::has_form, inflect, script::Script, vocabulary::List},
};

/// For languages that write compounds.
static SUFFIXES: List = List::new(include_str!("../tables/street_endings.txt"));
static ROADS: List = List::new("highway hwy road rd route rte");
static PAY: List = List::new("plat mzd tarif");
/// Also ordinary words, unless they begin with a capital: "Applications close 18 December".
static CAPITALS: List = List::new(include_str!("../tables/street_capitals.txt"));

fn is_beside(gap: &str, before: &Word<'_>) -> bool {
    let is_abbreviated = before.letters() <= 5
        || before.is(Cues::STREET_BEFORE | Cues::STREET_AFTER)
        || before.lower.ends_with("str");
    let plain: String = gap
        .chars()
        .filter(|c| !matches!(c, '„' | '“' | '”' | '"' | '«' | '»' | '№' | 'º' | '°' | 'ª'))
        .collect();
    match plain.as_str() {
        "" | " " | "  " | "\u{a0}" | "-" | " - " | "’" | "'" | "' " | "׳ " | "/" | "/ " | " #"
        | " # " | ", " | "، " | "," | ",  " => true,
        ". " | "." | ".\u{a0}" | "., " => is_abbreviated,
        ":" | ": " => before.is(Cues::UNIT),
        _ => false,
    }
}

/// `Rua da Alegria, 19`
pub(super) fn after_street(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let end = || end(text, words, at);
    let after = &text[words[at].end()..];
    let mut first = None;
    let mut look = at;
    let mut capitals = 0;
    let mut is_quoted = false;
    for distance in 1..=MAX_NAME + 1 {
        let Some(previous) = look.checked_sub(1) else {
            break;
        };
        let word = &words[previous];
        let gap = &text[word.end()..words[look].start];
        if !is_beside(gap, word) {
            break;
        }
        let is_cased = word
            .text
            .contains(|c: char| c.is_lowercase() || c.is_uppercase());
        // "Ruta 34 km 224", "Carrera 8 # 24-37"
        let is_numbered = distance == 1
            && [" km ", " #", " No. "]
                .iter()
                .any(|it| after.starts_with(it));
        if is_street_before(word, gap, text) && (capitals > 0 || is_numbered) {
            // "C/ Pasaje Mallol 14"
            let kind = word_before(words, previous).filter(|kind| {
                (kind.is(Cues::STREET_BEFORE) || kind.is_capitals())
                    && matches!(&text[kind.end()..word.start], " " | "/ " | ". ")
            });
            return Some(kind.unwrap_or(word).start..end());
        }
        // "Address: Elm 14", "Find us here: Elm 14"
        let is_cue = |word: &Word<'_>| word.is(Cues::ADDRESS);
        if gap.starts_with(':')
            && capitals > 0
            && (is_cue(word) || word_before(words, previous).is_some_and(is_cue))
        {
            return Some(first.unwrap_or(words[look].start)..end());
        }
        let is_apart = gap.contains(',') && !words[look].is(Cues::UNIT);
        let may_be_street = distance <= 2 && first.is_none() && !is_apart;
        // A Czech grade of pay: "Platová třída 9".
        let is_pay = |it: &Word<'_>| PAY.begins(&it.lower);
        if word.lower == "třída" && word_before(words, previous).is_some_and(is_pay) {
            break;
        }
        if may_be_street {
            first = street_start(text, words, previous, gap);
        }
        let is_name = word.is_upper()
            || (!is_cased && !word.is_number())
            || word.is(Cues::UNIT)
            || (word.text.len() <= 6 && PARTICLES.has(&word.lower))
            || (word.is_number() && gap == " " && words[look].is_upper() && word.text.len() <= 2)
            || (word.is_number() && gap == ". " && words[look].is(Cues::STREET_AFTER));
        // "бул. „Черни връх“ 51"
        is_quoted |= gap.contains(['“', '”', '"', '»']);
        if !is_name && !is_quoted && !word.is(Cues::STREET_AFTER) {
            break;
        }
        if word.is_upper() || (!is_cased && !word.is_number()) {
            capitals += 1;
        }
        if let Some(start) = first
            && word.start < start
            && word.is_upper()
            && (matches!(gap, " " | "-") || (gap == ". " && word.letters() <= 4))
            && !word.is(Cues::ADDRESS)
            && !(begins_sentence(text, word.start) && word.is(Cues::PERSON | Cues::LANGUAGES))
        {
            first = Some(word.start);
        } else if first.is_some_and(|start| word.start < start) {
            break;
        }
        look = previous;
    }
    first.map(|first| first..end())
}

/// Includes the word before it, and a number that is its name (`4. Cadde No: 12`).
fn street_start(text: &str, words: &[Word<'_>], at: usize, gap: &str) -> Option<usize> {
    let word = &words[at];
    if is_compound(word) {
        return Some(word.start);
    }
    let is_letter = word.is_letter();
    let is_ordinary = !word.is_upper() && CAPITALS.has(&word.lower);
    if !word.is(Cues::STREET_AFTER) || (is_letter && !gap.starts_with('.')) || is_ordinary {
        return None;
    }
    let before = word_before(words, at)?;
    let gap = &text[before.end()..word.start];
    let is_name = before.is_upper() && !before.is(Cues::LANGUAGES) && matches!(gap, " " | "-");
    (is_name || (before.is_number() && gap == ". ")).then_some(before.start)
}

fn is_street_before(word: &Word<'_>, gap: &str, text: &str) -> bool {
    // "בשדרות הנשיא 7": in the avenue.
    let is_street = |lower: &str| cues::are_of(lower, Cues::STREET_BEFORE);
    let is_prefixed =
        || !word.lower.is_ascii() && inflect::without_prefix(&word.lower).any(is_street);
    if !word.is(Cues::STREET_BEFORE) && !is_prefixed() {
        return false;
    }
    let is_short = word.letters() <= 2;
    // Ambiguous words of Latin languages count only capitalised, or at the start of a sentence.
    let is_other = CAPITALS.has(&word.lower);
    // "c.c." is a law.
    let of_law = text[..word.start].ends_with('.');
    // "sede di via Garibaldi"
    let front_ends_with = |ends: &[&str]| ends.iter().any(|it| text[..word.start].ends_with(it));
    (!is_short || (gap.starts_with(['.', '/', '-', '\'', '׳']) && !of_law) || word.lower == "al")
        && (!is_other
            || word.is_upper()
            || text[..word.start].ends_with('(')
            || word.lower == "via" && front_ends_with(&[" in ", " di ", " presso "])
            || begins_sentence(text, word.start))
}

/// `Hauptstraße`, `Storgata`
pub(super) fn is_compound(word: &Word<'_>) -> bool {
    const MIN_FRONT: usize = 3;
    let mut fronts = SUFFIXES.without_endings(&word.lower);
    word.is_upper() && fronts.any(|front| front.chars().count() >= MIN_FRONT)
}

/// `12, avenue Foch`, `14 Kirk Lane`, `10220 - 103 Street`
pub(super) fn before_street(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    let number = &words[at];
    let mut next = at + 1;
    let mut last = number;
    if let Some(bis) = words
        .get(next)
        .filter(|word| matches!(&*word.lower, "bis" | "ter" | "quater"))
    {
        (last, next) = (bis, next + 1);
    }
    let street = words.get(next)?;
    let gap = &text[last.end()..street.start];
    if !matches!(gap, " " | ", " | "\u{a0}") {
        return None;
    }
    // "7881 JR Emmen" is a postal code.
    let is_word = street.letters() >= 2 && !has_form(street.text, "AA");
    if street.is(Cues::STREET_BEFORE) && is_word {
        let mut end = None;
        let mut last = street;
        for word in words[next + 1..].iter().take(MAX_NAME) {
            let gap = &text[last.end()..word.start];
            // "12, rue du Dr. Roux", but not the next sentence.
            let joins = matches!(gap, " " | "-" | "–" | "’" | "'" | "\u{a0}")
                || gap == ". "
                    && (last.letters() <= 2 || last.is(Cues::TITLE | Cues::STREET_BEFORE))
                || (gap == "." && last.is_letter());
            // "place du Puits-aux-Moines"
            let is_compound = gap == "-";
            let is_name = word.is_upper() || Script::of_text(word.text) == Script::Arabic;
            // "شارع طلعت حرب، الدور الثالث"
            let is_unit = gap == "، " && word.is(Cues::UNIT);
            let of_unit = last.is(Cues::UNIT);
            let is_part = is_name || is_compound || PARTICLES.has(&word.lower);
            if !(joins || is_unit) || !is_part {
                break;
            }
            if is_name {
                end = Some(word.end());
            }
            if of_unit {
                break;
            }
            last = word;
        }
        return end.map(|end| number.start..end);
    }
    // English: capitals up to the word for a street.
    let mut last = number;
    for (distance, word) in words[at + 1..].iter().take(MAX_NAME).enumerate() {
        let gap = &text[last.end()..word.start];
        let joins =
            matches!(gap, " " | ". " | "-") || (gap == ", " && words[at + 1].is(Cues::UNIT));
        // "9 Queen's Gardens"
        let is_genitive = distance > 0 && matches!(gap, "'" | "’") && word.lower == "s";
        if !is_genitive && (!joins || !word.is_upper()) {
            return None;
        }
        if distance > 0 && word.is(Cues::STREET_AFTER) {
            let mut index = at + 1 + distance;
            // "1505 Lower Quay Street", "3920 County Road KK"
            while let Some(next) = words.get(index + 1)
                && (next.is_upper()
                    && (next.is(Cues::STREET_AFTER) || next.letters() <= 2 && next.is_capitals())
                    || next.is_number() && ROADS.has(&words[index].lower))
                && &text[words[index].end()..next.start] == " "
            {
                index += 1;
            }
            return Some(number.start..end(text, words, index));
        }
        last = word;
    }
    None
}

/// `114. Sokak`, `Bd. 21 Decembrie`
pub(super) fn names_street(text: &str, words: &[Word<'_>], at: usize) -> bool {
    let kind = || word_before(words, at).filter(|it| it.is_upper() && it.is(Cues::STREET_BEFORE));
    let next = words.get(at + 1);
    next.is_some_and(|next| match &text[words[at].end()..next.start] {
        ". " => next.is(Cues::STREET_AFTER),
        " " => next.is_upper() && !next.is(Cues::UNIT) && kind().is_some(),
        _ => false,
    })
}
