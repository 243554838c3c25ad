//! Post boxes.

use super::{
    List, Word,
    end::{end, postal_code},
    is_digits,
};
use crate::Range;

/// `Apartado de correos 114`, `P. O. Box 12`, `Postfach 11 04`, `а/я 114`
pub(super) fn post_box(text: &str, words: &[Word<'_>], at: usize) -> Option<Range> {
    static BOXES: List = List::new(include_str!("../tables/post_boxes.txt"));
    static LINKS: List =
        List::new("de del correos postal postale poczt poczty pretinac dėžutė θ я с no nr n");
    if !is_digits(words[at].text) {
        return None;
    }
    let mut first = at.checked_sub(1)?;
    while LINKS.has(&words[first].lower) && first + 3 > at {
        first = first.checked_sub(1)?;
    }
    let word = &words[first];
    if !BOXES.has(&word.lower) {
        return None;
    }
    let has_code = || postal_code(text, words, at + 1, words[at].end()).is_some();
    // "P. O. Box 114", "P.O. Box"; "box" alone is a Swedish one.
    let before = words[first.saturating_sub(2)..first].iter().rev();
    let initials = before
        .take_while(|it| it.is_upper() && (it.is_letter() || it.lower == "po"))
        .last()
        .filter(|_| matches!(&*word.lower, "box" | "bag"));
    let is_box = match &*word.lower {
        "box" | "bag" => initials.is_some() || word.is_upper() && has_code(),
        "pl" | "bp" | "cs" => word.is_capitals() && has_code(),
        "pf" => word.is_upper() && text[word.end()..].starts_with('.'),
        "apartado" | "casilla" | "а" | "τ" | "skr" | "skrytka" => first + 1 < at,
        _ => true,
    };
    // The number may have groups.
    let groups = words[at..].windows(2).take(3).take_while(|pair| {
        pair[1].is_number() && pair[1].text.len() <= 3 && &text[pair[0].end()..pair[1].start] == " "
    });
    let end = end(text, words, at + groups.count());
    is_box.then(|| initials.map_or(word.start, |letter| letter.start)..end)
}
