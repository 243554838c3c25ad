//! Addresses without a word for a street, but beside a postal code, post box, contact or city.

use super::{
    Cues, Hidden, Result, Text, Word, begins_sentence,
    end::end,
    is_among, is_digits,
    street::{PARTICLES, before_street, is_name},
    word_before,
};
use crate::{
    Range,
    redact::{Kind, vocabulary::begins_with_one},
};

/// Adds streets before the city of the posting: `Main Street, Tullamore`.
pub(super) fn without_number(on: Text<'_>, city: Option<&str>, out: &mut Vec<Range>) -> Result<()> {
    let (text, words, budget) = on.parts();
    let Some(city) = city.filter(|city| !city.is_empty()) else {
        return Ok(());
    };
    budget.spend(words.len())?;
    let known = out.len();
    for (at, word) in words.iter().enumerate().skip(1) {
        let name = &words[at - 1];
        let is_street = word.is(Cues::STREET_AFTER)
            && is_name(word)
            && word.letters() >= 3
            && is_name(name)
            && &text[name.end()..word.start] == " ";
        let is_before = |rest: &str| rest.starts_with(city);
        if !is_street || !text[word.end()..].strip_prefix(", ").is_some_and(is_before) {
            continue;
        }
        let is_free = out[..known]
            .iter()
            .all(|other| other.end <= name.start || word.end() <= other.start);
        budget.spend(known)?;
        // "Our Street, …" is no address.
        let begins = begins_sentence(text, name.start);
        if is_free && !(begins && name.is(Cues::LANGUAGES | Cues::SMALL)) {
            out.push(name.start..word.end());
        }
    }
    out.sort_by_key(|range| range.start);
    Ok(())
}

/// `Apartado de correos 114`, `P. O. Box 12`
pub(super) fn after_post_box(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    /// Words for a post box. Those of `SHORT` have other meanings, and need more evidence.
    const BOXES: &str = include_str!("../tables/post_boxes.txt");
    const SHORT: &str = "box pl pf τ а а/я bp skr";
    const LINKS: &str = "de del correos postal postale poczt poczty pretinac dėžutė θ я с";
    let mut first = at.checked_sub(1)?;
    for _ in 0..3 {
        let word = &words[first];
        let gap = &text[word.end()..words[first + 1].start];
        if !matches!(gap, " " | ". " | "." | "/" | ": ") {
            return None;
        }
        if is_among(BOXES, &word.lower) && (word.is_upper() || first + 1 < at) {
            return Some(word.start..box_end(text, words, at));
        }
        if !is_among(LINKS, &word.lower) {
            break;
        }
        first = first.checked_sub(1)?;
    }
    let word = &words[first];
    let number = is_digits(words[at].text);
    let is_box = number
        && is_among(SHORT, &word.lower)
        && match &*word.lower {
            // "P. O. Box 114", "P.O. Box"; "box" alone is a Swedish one.
            "box" => true,
            "pl" | "bp" => word.is_capitals() && end(text, words, at).has_postal_code,
            "pf" => word.is_upper() && text[word.end()..].starts_with('.'),
            "τ" => first + 2 == at && words[first + 1].lower == "θ",
            "а" => first + 2 == at && matches!(&*words[first + 1].lower, "я" | "с"),
            _ => first + 1 < at,
        };
    if !is_box {
        return None;
    }
    let initials = (1..=2)
        .filter_map(|back| first.checked_sub(back).map(|at| &words[at]))
        .take_while(|letter| letter.is_upper() && (letter.letters() == 1 || letter.lower == "po"))
        .last()
        .filter(|_| word.lower == "box");
    if word.lower == "box" && initials.is_none() && !end(text, words, at).has_postal_code {
        return None;
    }
    Some(initials.map_or(word.start, |letter| letter.start)..box_end(text, words, at))
}

/// The number may have groups: `Postfach 11 04`.
fn box_end(text: &str, words: &[Word<'_>], at: usize) -> usize {
    let mut last = at;
    while let Some(next) = words.get(last + 1)
        && next.is_number()
        && next.text.len() <= 3
        && &text[words[last].end()..next.start] == " "
        && last < at + 3
    {
        last += 1;
    }
    end(text, words, last).end
}

/// `ZA du Ponteix, 14 allée des Chênes`, `Flat 2, 9 Elm Gardens`
pub(super) fn with_zone(text: &str, words: &[Word<'_>], range: Range) -> Range {
    const ZONES: &str = include_str!("../tables/zones.txt");
    const QUARTERS: &str = "mahallesi mah mahalle";
    let Some(front) = text[..range.start].strip_suffix(", ") else {
        return range;
    };
    let last = words.partition_point(|word| word.end() <= front.len());
    let mut first = last;
    for _ in 0..5 {
        let Some(word) = word_before(words, first) else {
            break;
        };
        let is_beside = if first == last {
            word.end() == front.len() || (word.end() + 1 == front.len() && front.ends_with('.'))
        } else {
            matches!(
                &text[word.end()..words[first].start],
                " " | ". " | "’" | "'"
            )
        };
        let is_written = word.is_upper() || word.is_number() || is_among(PARTICLES, &word.lower);
        let is_zone = is_among(ZONES, &word.lower);
        if !is_beside || !(is_written || is_zone) {
            break;
        }
        first -= 1;
        if is_zone && first + 1 < last {
            return word.start..range.end;
        }
        let of_quarter = words[last - 1].lower.as_ref();
        if is_among(QUARTERS, of_quarter) && first + 1 < last && word.is_upper() {
            return word.start..range.end;
        }
    }
    range
}

/// `114. Sokak`
pub(super) fn names_street(text: &str, words: &[Word<'_>], at: usize) -> bool {
    words.get(at + 1).is_some_and(|street| {
        street.is(Cues::STREET_AFTER) && &text[words[at].end()..street.start] == ". "
    })
}

/// Adds the street after a number: `ZA du Ponteix, 14 allée des Chênes`.
pub(super) fn with_street(text: &str, words: &[Word<'_>], at: usize, range: Range) -> Range {
    let street = before_street(text, words, at);
    let is_before_street = words
        .get(at + 1)
        .is_some_and(|street| street.is(Cues::STREET_BEFORE));
    let end = street
        .filter(|_| is_before_street)
        .map_or(0, |street| street.end);
    range.start..range.end.max(end)
}

/// An address alone in its clause, beside a contact or a register number: `+48 605 118 240,
/// Narutowicza 14.`, `Přístavní 31. IČO …`
pub(super) fn in_block(
    text: &str,
    words: &[Word<'_>],
    at: usize,
    found: &[Hidden],
) -> Option<Range> {
    const MAX_WORDS: usize = 6;
    /// In bytes, before the address and after it.
    const NEAR: (usize, usize) = (60, 24);
    /// In bytes, if only a sign is between.
    const ADJACENT: usize = 3;
    let mut first = at;
    for _ in 0..MAX_WORDS {
        let Some(word) = word_before(words, first) else {
            break;
        };
        let joins = match &text[word.end()..words[first].start] {
            " " | "\u{a0}" => true,
            "-" | "’" | "'" => first < at,
            ", " => first == at,
            ". " => {
                let is_short = word.letters() <= 3 && !word.is_number();
                is_short && (word.is_upper() || word.is(Cues::STREET_BEFORE))
            }
            ": " => word.is(Cues::UNIT),
            _ => false,
        };
        if !joins {
            break;
        }
        first -= 1;
    }
    let street = &words[first..at];
    let start = street.first()?.start;
    let other = Cues::ID | Cues::PHONE | Cues::PERSON | Cues::GIVEN | Cues::LEGAL;
    let is_named = |word: &Word<'_>| word.is_upper() || word.letters() <= 3;
    let is_street = street[0].is(Cues::STREET_BEFORE)
        || (street[0].is_upper()
            && (street.iter().any(|word| word.is(Cues::STREET_AFTER))
                || (words[at - 1].is_upper() && street.iter().all(is_named))));
    let is_year = words[at].text.len() == 4 && begins_with_one("19 20", words[at].text);
    if !is_street
        || is_year
        || !street
            .iter()
            .any(|word| is_name(word) && word.letters() >= 4)
        || street
            .iter()
            .any(|word| word.is(other) && !word.is(Cues::STREET_AFTER))
        || words[at - 1].text.contains(|c: char| c.is_ascii_digit())
        || (street[0].is(Cues::LANGUAGES) && street[0].text.chars().nth(2).is_some())
    {
        return None;
    }
    let begins = begins_clause(text, start);
    let end = end(text, words, at).end;
    let rest = &text[end..];
    let is_last = rest.is_empty() || rest.starts_with(['.', ',', ';', '\n', ')']);
    let is_contact = |other: &&Hidden| {
        !matches!(other.kind, Kind::Company | Kind::Person | Kind::Address)
            && !text[other.range.end.min(end)..other.range.start.max(start)].contains('\n')
    };
    let index = found.partition_point(|other| other.range.end <= start);
    let before = found[..index].iter().rev().find(is_contact);
    let after = found[index..].iter().find(is_contact);
    // "Windows 11" may be beside a contact, too, but hardly directly after one.
    let near = if street.len() > 1 {
        NEAR
    } else {
        (ADJACENT, 0)
    };
    let is_beside = before.is_some_and(|other| start - other.range.end <= near.0)
        || after.is_some_and(|other| {
            let gap = other.range.start.checked_sub(end);
            let most = if other.kind == Kind::Email {
                near.1
            } else {
                NEAR.1
            };
            gap.is_some_and(|gap| gap <= most)
        });
    (begins && is_last && is_beside).then_some(start..end)
}

pub(super) fn begins_clause(text: &str, start: usize) -> bool {
    let front = text[..start].trim_end_matches([' ', '\u{a0}']);
    front.is_empty() || front.ends_with(['.', ',', ':', ';', '\n', '|', '·', '•', ')', '(', '–'])
}

/// From the start of a sentence to the city of the posting: `Riegrova 14, Olomouc`.
pub(super) fn before_city(text: &str, words: &[Word<'_>], at: usize, city: &str) -> Option<Range> {
    let name = word_before(words, at)?;
    let other =
        Cues::GENERIC | Cues::UNIT | Cues::ID | Cues::PHONE | Cues::PERSON | Cues::LANGUAGES;
    let is_street = is_name(name) && name.letters() >= 4 && !name.is(other);
    let start = name.start;
    let begins = begins_sentence(text, start) || text[..start].ends_with(", ");
    let end = end(text, words, at).end;
    let is_before = text[end..]
        .strip_prefix(", ")
        .and_then(|rest| rest.strip_prefix(city))
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let is_beside = &text[name.end()..words[at].start] == " ";
    (is_street && is_beside && begins && !city.is_empty() && is_before).then_some(start..end)
}
