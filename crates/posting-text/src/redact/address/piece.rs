//! The smallest pieces of addresses: numbers of houses, names, postal codes, and ends of clauses.

use super::Word;
use crate::redact::{id::has_form, vocabulary::List};

/// Between the parts of an address, and before its place.
pub(super) const BETWEEN: [&str; 11] = [
    "., ", ", ", "، ", " | ", " · ", " • ", " – ", " — ", " - ", "\n", "; ",
];

/// The most words of a name.
pub(super) const MAX_NAME: usize = 6;
pub(super) static PARTICLES: List = List::new(include_str!("../tables/street_particles.txt"));

/// Up to four digits and two letters. In the north of the United States a letter may precede
/// (`N3920`).
pub(super) fn is_house(word: &Word<'_>) -> bool {
    let text = word.text;
    let grid = text.strip_prefix(['N', 'S', 'E', 'W']);
    let text = grid.filter(|grid| grid.len() >= 4).unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&digits) && text.len() <= digits + 4 && text.chars().count() <= digits + 2
}

pub(super) fn is_roman(word: &Word<'_>) -> bool {
    word.text.len() <= 4 && word.text.bytes().all(|b| matches!(b, b'I' | b'V' | b'X'))
}

pub(super) fn is_year(word: &Word<'_>) -> bool {
    word.text.len() == 4 && (word.text.starts_with("19") || word.text.starts_with("20"))
}

pub(super) fn gap<'a>(text: &'a str, words: &[Word<'_>], at: usize) -> &'a str {
    let next = words.get(at + 1);
    next.map_or("", |next| &text[words[at].end()..next.start])
}

/// The end of the postal code of `48155 Münster`, `D-48155 Münster`, `1234 AB Zwolle`, `00-950
/// Warszawa`.
pub(super) fn code_before_city(text: &str, words: &[Word<'_>], at: usize) -> Option<usize> {
    let first = &words[at];
    let is_prefix =
        first.letters() <= 3 && first.is_upper() && matches!(gap(text, words, at), "-" | " ");
    let mut last = at + usize::from(is_prefix);
    let number = words.get(last).filter(|word| word.is_number())?;
    let mut length = number.text.len();
    while length < 8
        && matches!(gap(text, words, last), " " | "-")
        && let Some(more) = words.get(last + 1)
        && (more.is_number() && more.text.len() <= 4 || has_form(more.text, "AA"))
    {
        length += more.text.len();
        last += 1;
    }
    let is_code = (4..=8).contains(&length) && !(length == 4 && is_year(number));
    let city = words.get(last + 1).filter(|city| city.is_upper())?;
    let is_city = gap(text, words, last) == " " && city.letters() >= 3;
    (is_code && is_city).then(|| words[last].end())
}

/// A code with letters is of one street: `1234 AB`. One without is of a town, and stays.
pub(super) fn is_exact(text: &str, code_end: usize) -> bool {
    text[..code_end].ends_with(|c: char| c.is_ascii_uppercase())
}

pub(super) fn ends_clause(text: &str, end: usize) -> bool {
    let rest = &text[end..];
    let is_decimal = rest.len() > 1 && rest.as_bytes()[1].is_ascii_digit();
    rest.is_empty()
        || rest.starts_with(" (")
        || rest.starts_with(['.', ',', ';', '\n', ')', '|']) && !is_decimal
}
