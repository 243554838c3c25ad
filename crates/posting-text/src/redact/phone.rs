//! Telephone numbers that are certain by their form. The model finds the others.

use super::{script::is_unspaced, vocabulary::List};
use crate::{Range, pattern::patterns};

const GAP: &str = r"(?:[ \u{a0}.‐‑–/-]|[ ]?\(|\)[ ]?){0,2}";

patterns! {
    INTERNATIONAL = format!(r"\+[0-9](?:{GAP}[0-9])*");
}

/// Finds certain telephone numbers: a `+` directly followed by a digit, 8 to 15 digits, and at most
/// two separators between two digits: spaces, full stops, hyphens, dashes, slashes, or parentheses
/// with a space on the outer side.
///
/// Excluded: a letter, a digit or `_-,=` directly before it; a letter, a digit, `_`, `%`, or a
/// continuing hyphen, full stop or comma directly after it; a currency sign, `~` or `<` before it;
/// a sign or word of an amount after it; and round numbers such as `+10 000 000`.
pub(crate) fn certain(text: &str) -> impl Iterator<Item = Range> {
    INTERNATIONAL.find_iter(text).filter_map(|found| {
        let number = found.as_str();
        let digits = number.bytes().filter(u8::is_ascii_digit).count();
        if !(8..=15).contains(&digits) || is_round(&number[1..]) {
            return None;
        }
        let (before, after) = (&text[..found.start()], &text[found.end()..]);
        let is_other = is_attached(before, after) || is_counted(before, after);
        (!is_other).then(|| found.range())
    })
}

fn is_attached(before: &str, after: &str) -> bool {
    let goes_on = after.strip_prefix(['-', '.', ',']);
    // "06 96 555 218-as": an ending.
    let is_ending = after.starts_with('-') && after[1..].starts_with(char::is_lowercase);
    let goes_on = goes_on.filter(|rest| !is_ending && !rest.starts_with(is_unspaced));
    before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ',' | '='))
        || after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '%'))
        || goes_on.is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}

fn is_counted(before: &str, after: &str) -> bool {
    static UNITS: List = List::new(include_str!("tables/amounts.txt"));
    let after = after.strip_prefix(char::is_whitespace).unwrap_or(after);
    let word = after.split(|c: char| !c.is_alphanumeric()).next();
    before
        .trim_end()
        .ends_with(['$', '€', '£', '¥', '₹', '~', '<'])
        || after.starts_with(['$', '€', '£', '¥', '₹', '%'])
        || UNITS.has(&word.unwrap_or_default().to_lowercase())
}

/// `10 000 000`, and `20 000-30 000`
fn is_round(number: &str) -> bool {
    let groups = || number.split(|c: char| !c.is_ascii_digit());
    groups().all(|group| group.len() <= 3) && groups().next_back() == Some("000")
}
