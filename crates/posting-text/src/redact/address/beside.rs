//! Post boxes, and another street after the number.

use super::{Cues, Word, end::end, is_among, is_digits, street::before_street};
use crate::Range;

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

/// `114. Sokak`, `가산디지털2로`
pub(super) fn names_street(text: &str, words: &[Word<'_>], at: usize) -> bool {
    words.get(at + 1).is_some_and(|street| {
        let is_within = text[..words[at].start].ends_with(|c: char| c.is_alphabetic())
            && words[at].end() == street.start;
        street.is(Cues::STREET_AFTER) && &text[words[at].end()..street.start] == ". "
            || is_within && matches!(street.text, "로" | "길")
    })
}

/// Adds the street after a number: `ZA du Ponteix, 14 allée des Chênes`.
pub(super) fn with_street(text: &str, words: &[Word<'_>], at: usize, range: Range) -> Range {
    let street = before_street(text, words, at);
    // "Willow House, 6 Harbour Parade"
    let is_before_street = words
        .get(at + 1)
        .is_some_and(|street| street.is(Cues::STREET_BEFORE))
        || text[..words[at].start].ends_with(", ");
    let end = street
        .filter(|_| is_before_street)
        .map_or(0, |street| street.end);
    range.start..range.end.max(end)
}
