//! Finds what is certainly an e-mail address or a telephone number.

use std::ops::Range;

/// Finds e-mail addresses: letters, digits and `._%+'’-` with at least one letter or digit; an `@`;
/// and two or more labels of letters, digits and hyphens, of which one after the first starts with
/// two letters.
pub(super) fn emails(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices('@').filter_map(|(at, sign)| {
        let after = at + sign.len();
        let start = at - local_part(&text[..at])?;
        let end = after + domain(&text[after..])?;
        Some(start..end)
    })
}

/// The length in bytes of the local part before an `@`.
fn local_part(before: &str) -> Option<usize> {
    let inside = |c: char| c.is_alphanumeric() || "._%+'’-".contains(c);
    let run = before.trim_end_matches(inside).len();
    let start = before[run..].find(char::is_alphanumeric)?;
    Some(before.len() - run - start)
}

/// The length in bytes of a domain at the start, whose last label is a name.
fn domain(after: &str) -> Option<usize> {
    let mut end = label(after)?.len();
    let mut is_named = false;
    while let Some(next) = after[end..].strip_prefix('.').and_then(label) {
        is_named |= next.chars().take(2).filter(|c| c.is_alphabetic()).count() == 2;
        end += 1 + next.len();
    }
    is_named.then_some(end)
}

fn label(text: &str) -> Option<&str> {
    let inside = |c: char| c.is_alphanumeric() || c == '-';
    let end = text.find(|c| !inside(c)).unwrap_or(text.len());
    text.starts_with(char::is_alphanumeric)
        .then(|| &text[..end])
}

/// Finds telephone numbers in international form: a `+` directly followed by a digit, 8 to 15
/// digits in all, and at most two separators between two digits. A separator is a space of either
/// width, a full stop, a hyphen, a dash, a slash, or a parenthesis with a space on its outer side.
///
/// Leaves out what may be something else: a letter, a digit or any of `_-,=` directly before it; a
/// letter, a digit, `_`, `%`, or a hyphen, full stop or comma that continues, directly after it; a
/// currency sign, `~` or `<` before it; a sign or word of an amount after it; and round numbers
/// such as `+10 000 000`.
pub(super) fn phones(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices('+').filter_map(|(plus, sign)| {
        let start = plus + sign.len();
        let end = start + number(&text[start..])?;
        is_phone(&text[..plus], &text[start..end], &text[end..]).then_some(plus..end)
    })
}

/// The length in bytes of a number at the start with as many digits as a telephone number.
fn number(text: &str) -> Option<usize> {
    /// Two separators of two characters each.
    const GAP: usize = 4;
    let (mut end, mut digits) = (0, 0);
    loop {
        let rest = &text[end..];
        let separators = rest.chars().take(GAP).take_while(|c| is_separator(*c));
        let gap: usize = separators.map(char::len_utf8).sum();
        let is_digit = rest[gap..].starts_with(|c: char| c.is_ascii_digit());
        if !is_digit || (gap > 0 && digits == 0) || !joins(&rest[..gap], 2) {
            break;
        }
        end += gap + 1;
        digits += 1;
    }
    (8..=15).contains(&digits).then_some(end)
}

fn is_separator(c: char) -> bool {
    matches!(
        c,
        ' ' | '\u{a0}' | '.' | '-' | '‐' | '‑' | '–' | '/' | '(' | ')'
    )
}

/// Whether a gap consists of at most this many separators.
fn joins(gap: &str, most: usize) -> bool {
    let Some(first) = gap.chars().next() else {
        return true;
    };
    let outer = gap.strip_prefix(" (").or_else(|| gap.strip_prefix(") "));
    most > 0
        && (joins(&gap[first.len_utf8()..], most - 1)
            || outer.is_some_and(|rest| joins(rest, most - 1)))
}

fn is_phone(before: &str, number: &str, after: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let goes_on = after
        .strip_prefix(['-', '.', ','])
        .is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    let is_part = before.ends_with(|c| inside(c) || matches!(c, '-' | ',' | '='))
        || after.starts_with(|c| inside(c) || c == '%')
        || goes_on;
    let is_counted = before
        .trim_end()
        .ends_with(['$', '€', '£', '¥', '₹', '~', '<'])
        || is_amount(after);
    !is_part && !is_counted && !is_round(number)
}

/// Whether the text after a number makes it an amount.
fn is_amount(after: &str) -> bool {
    const UNITS: [&str; 36] = [
        "k",
        "kr",
        "eur",
        "euro",
        "euros",
        "usd",
        "nok",
        "sek",
        "dkk",
        "chf",
        "gbp",
        "cad",
        "jpy",
        "inr",
        "brl",
        "mxn",
        "pln",
        "zł",
        "kronor",
        "kroner",
        "dollar",
        "dollars",
        "million",
        "millions",
        "people",
        "employees",
        "clients",
        "customers",
        "users",
        "members",
        "m²",
        "m2",
        "km",
        "h",
        "years",
        "ans",
    ];
    let rest = after.strip_prefix(char::is_whitespace).unwrap_or(after);
    let end = rest
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(rest.len());
    rest.starts_with(['$', '€', '£', '¥', '₹', '%'])
        || UNITS.contains(&rest[..end].to_lowercase().as_str())
}

/// Whether a number is round: `10 000 000`, and `20 000-30 000`.
fn is_round(number: &str) -> bool {
    let groups = || number.split(|c: char| !c.is_ascii_digit());
    groups().all(|group| group.len() <= 3) && groups().next_back() == Some("000")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Vec<&str> {
        ranges.map(|range| &text[range]).collect()
    }

    #[test]
    fn email_addresses() {
        for (text, expect) in [
            ("write to jobs@acmera.no.", vec!["jobs@acmera.no"]),
            (
                "<a.b-c+d@mail.example.org>",
                vec!["a.b-c+d@mail.example.org"],
            ),
            ("(o'neil@x.co.uk)", vec!["o'neil@x.co.uk"]),
            ("é@bücher.example", vec!["é@bücher.example"]),
            ("..a@b.no, c@d.no", vec!["a@b.no", "c@d.no"]),
            ("mailto:a@b.no?subject=x", vec!["a@b.no"]),
            ("a@b.no@c.no", vec!["a@b.no", "b.no@c.no"]),
            ("@handle", vec![]),
            ("@acmera.no", vec![]),
            ("a @ b.no", vec![]),
            ("a@b", vec![]),
            ("a@b.", vec![]),
            ("a@b.1", vec![]),
            ("3@4.5", vec![]),
            ("-@b.no", vec![]),
            ("a@-b.no", vec![]),
            ("[email]@b.no", vec![]),
            ("a@b\u{1e}.no", vec![]),
        ] {
            assert_eq!(shown(text, emails(text)), expect, "{text}");
        }
    }

    #[test]
    fn telephone_numbers() {
        for number in [
            "+47 918 12 345",
            "+4791812345",
            "+33 (0)1 23 45 67 89",
            "+33(0) 123456789",
            "+1 (555) 123-4567",
            "+49\u{a0}30/1234567",
            "+47-22-33-44-55",
            "+47 –22334455",
            "+351 912 345 678",
            "+354 555 1234",
            "+123456789012345",
        ] {
            for (before, after) in [
                ("Ask ", " or"),
                ("(", ")"),
                ("Tel.:", "."),
                ("tel(", ")"),
                ("", ""),
                ("", ", then"),
                ("", "/x"),
            ] {
                let text = format!("{before}{number}{after}");
                assert_eq!(shown(&text, phones(&text)), [number], "{text}");
            }
        }
    }

    #[test]
    fn other_numbers() {
        for text in [
            "+10 000 000",
            "+10 000 000 users",
            "+10.500.000",
            "+20 000-30 000 000",
            "+12 345 678 €",
            "+12345678 kr.",
            "+12345678%",
            "+12345678 %",
            "$ +12345678",
            "18+ 12345678",
            "+ 12345678",
            "a+12345678",
            "1+12345678",
            "+12345678a",
            "+12345678,9",
            "+1234567",
            "+1234567890123456",
            "+1,234,567,890",
            "+12 - 34 56 78 90",
            "C++11",
            "UTC+02:00",
            "+/- 12345678",
        ] {
            assert_eq!(shown(text, phones(text)), [""; 0], "{text}");
        }
    }
}
