//! The parts of descriptions that count when two descriptions are compared.

use std::{array, borrow::Cow};

use fields::{day::month, tracking};

/// Words that follow an age, and words that precede one, in lower case.
const BEHIND: [&str; 6] = ["ago", "siden", "sedan", "geleden", "temu", "fa"];
const BEFORE: [&str; 4] = ["vor", "hace", "depuis", "before"];

/// Units of an age: beginnings of words in lower case.
const UNITS: [&str; 23] = [
    "second", "minute", "hour", "day", "week", "month", "sekunde", "stunde", "tag", "woche",
    "monat", "jour", "heure", "semaine", "día", "hora", "dag", "time", "uke", "vecka", "min",
    "giorn", "h",
];

/// A description without the parts that change with time: ages such as `37 minutes ago`, tracking
/// parameters, and invisible white space. In text without HTML elements, line breaks are visible.
///
/// Each push computes this, so most bytes are compared 16 at a time.
pub(super) fn essence(text: &str) -> String {
    let text = without_ages(without_tracking(text.trim()));
    let has = |tag: &str| text.contains(tag);
    let is_whole = ["</", "<p", "<br", "<li"].into_iter().any(has) && !has("<pre");
    let mut out = String::with_capacity(text.len());
    let mut start = 0;
    while start < text.len() {
        let gap = gap_of(&text, start);
        let end = text.len() - text[gap..].trim_start().len();
        out.push_str(text[start..gap].trim_end());
        out.push_str(match text[gap..end].matches('\n').count() {
            _ if gap == end => "",
            1 if !is_whole => "\n",
            2.. if !is_whole => "\n\n",
            _ => " ",
        });
        start = end;
    }
    out
}

/// The next white space that is more than a single space.
fn gap_of(text: &str, start: usize) -> usize {
    // Two spaces, or the first bytes of a character that may be white space.
    let is_suspect = |byte, next| {
        byte < b' '
            || matches!(
                (byte, next),
                (b' ', b' ')
                    | (0xC2, 0x85 | 0xA0)
                    | (0xE1, 0x9A)
                    | (0xE2, 0x80 | 0x81)
                    | (0xE3, 0x80)
            )
    };
    let mut at = position(text, start, is_suspect);
    while at < text.len() {
        let next = text[at..].chars().next().unwrap_or_default();
        if next.is_whitespace() {
            break;
        }
        at = position(text, at + next.len_utf8(), is_suspect);
    }
    at
}

/// The first byte for which the condition holds, given the byte and its successor.
fn position(text: &str, start: usize, is_meant: impl Fn(u8, u8) -> bool) -> usize {
    const AT_ONCE: usize = 16;
    let (bytes, mut at) = (text.as_bytes(), start);
    while let Some((some, next)) = bytes.get(at..).and_then(|rest| {
        let next = rest.get(1..)?.first_chunk::<AT_ONCE>()?;
        Some((rest.first_chunk::<AT_ONCE>()?, next))
    }) {
        let found: [u8; AT_ONCE] = array::from_fn(|it| is_meant(some[it], next[it]).into());
        if found != [0; AT_ONCE] {
            break;
        }
        at += AT_ONCE;
    }
    let next = |at: usize| bytes.get(at + 1).copied().unwrap_or_default();
    while at < bytes.len() && !is_meant(bytes[at], next(at)) {
        at += 1;
    }
    at
}

/// A description's words. Leaves out numbers, months beside a number, and tracking parameters.
pub(crate) fn skeleton(text: &str) -> String {
    let text = without_tracking(text).to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let is_number = |at: usize| {
        let word = words.get(at);
        word.is_some_and(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
    };
    let is_date = |at: usize| {
        let is_beside = is_number(at + 1) || at.checked_sub(1).is_some_and(is_number);
        is_number(at) || is_beside && words.get(at).is_some_and(|word| month(word).is_some())
    };
    let kept = words.iter().enumerate().filter(|(at, _)| !is_date(*at));
    kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

fn without_ages(text: Cow<'_, str>) -> Cow<'_, str> {
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    loop {
        at = position(&text, at, |byte, _| byte.is_ascii_digit());
        if at == text.len() {
            break;
        }
        // As in `<h2>`.
        if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
            at += 1;
            continue;
        }
        let start = text[..at]
            .trim_end_matches(|c: char| !c.is_whitespace())
            .len();
        let (number, rest) = word_of(&text[start..]);
        at = start + number.len();
        if !is_number(&plain(number)) {
            continue;
        }
        let (unit, rest) = word_of(rest.trim_start());
        if !is_unit(&plain(unit)) {
            continue;
        }
        let (behind, _) = word_of(rest.trim_start());
        let before = text[..start]
            .split_whitespace()
            .next_back()
            .map(plain)
            .unwrap_or_default();
        if BEHIND.contains(&&*plain(behind)) || BEFORE.contains(&&*before) || before == "a" {
            out.push_str(&text[copied..start]);
            out.push('#');
            copied = text.len() - rest.len();
            at = copied;
        }
    }
    if copied == 0 {
        return text;
    }
    (out + &text[copied..]).into()
}

/// The first word, and the rest.
fn word_of(text: &str) -> (&str, &str) {
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

fn is_number(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'+')
}

fn is_unit(word: &str) -> bool {
    let ends = UNITS.iter().filter_map(|it| word.strip_prefix(it));
    ends.into_iter().any(|end| end.chars().count() < 4)
}

/// A word in lower case, without tags and punctuation.
fn plain(word: &str) -> Cow<'_, str> {
    let is_plain = |byte| matches!(byte, b'!'..=b'~') && !matches!(byte, b'<' | b'>' | b'A'..=b'Z');
    if word.bytes().all(is_plain) {
        return word.trim_matches(|c: char| !c.is_alphanumeric()).into();
    }
    let (mut text, mut is_tag) = (String::new(), false);
    for c in word.chars() {
        match c {
            '<' => is_tag = true,
            '>' if !is_tag => text.clear(),
            '>' => is_tag = false,
            c if !is_tag => text.extend(c.to_lowercase()),
            _ => {}
        }
    }
    text.trim_matches(|c: char| !c.is_alphanumeric())
        .to_owned()
        .into()
}

/// Leaves out tracking parameters in the queries of addresses.
fn without_tracking(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    let is_end = |c: char| c.is_whitespace() || "&\"'<>)#".contains(c);
    while let Some(query) = text[at..].find('?') {
        at += query;
        while text[at..].starts_with(['?', '&']) {
            let start = at + 1;
            let escaped = text[start..].starts_with("amp;");
            let start = if escaped { start + 4 } else { start };
            let pair = &text[start..];
            let pair = &pair[..pair.find(is_end).unwrap_or(pair.len())];
            let end = start + pair.len();
            if pair.contains('=') && tracking::is_pair(pair) {
                out.push_str(&text[copied..at]);
                copied = end;
            }
            at = end;
        }
    }
    if copied == 0 {
        return text.into();
    }
    (out + &text[copied..]).into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_changes_by_itself_does_not_count() {
        for (one, other) in [
            ("<p>Bread.</p>", " <p>Bread.</p>\n"),
            ("<p>Bread and\n rolls.</p>", "<p>Bread  and rolls.</p>"),
            ("Posted 37 minutes ago", "Posted 2 hours ago"),
            ("<p>Posted 37 minutes ago</p>", "<p>Posted 3 days ago</p>"),
            (
                "<b>37</b> <i>minutes</i> ago",
                "<b>38</b> <i>minutes</i> ago",
            ),
            (
                "<h2>Online for 3+\ndays ago</h2>",
                "<h2>Online for 4+ hours ago</h2>",
            ),
            ("Online seit: vor 3 Tagen", "Online seit: vor 4 Wochen"),
            ("Lagt ut for 3 dager siden", "Lagt ut for 12 dager siden"),
            (
                r#"<a href="https://a.example/?utm_source=x&amp;id=1&gh_src=2">Apply</a>"#,
                r#"<a href="https://a.example/?utm_source=y&amp;id=1&gh_src=3">Apply</a>"#,
            ),
            (
                "See https://a.example/?gclid=1 .",
                "See https://a.example/?gclid=2 .",
            ),
        ] {
            assert_eq!(essence(one), essence(other), "{one}");
        }
        for (one, other) in [
            ("37 hours a week", "38 hours a week"),
            (
                "Founded 40 years ago, 37 minutes away",
                "Founded 40 years ago, 38 minutes away",
            ),
            ("Bread.\nRolls.", "Bread. Rolls."),
            ("Bread.\n\nRolls.", "Bread.\nRolls."),
            ("https://a.example/?id=1", "https://a.example/?id=2"),
            ("rolls", "rol ls"),
            ("<h2>Rolls</h2>", "<h3>Rolls</h3>"),
            ("<p>5 days</p>", "<p>6 days</p>"),
        ] {
            assert_ne!(essence(one), essence(other), "{one}");
        }
    }

    proptest! {
        #[test]
        fn a_run_of_white_space_is_one_space(
            text in "([a-zäß€ァ–.·\\x7f\\x1f]{0,20}[ \n\t\u{85}\u{a0}\u{1680}\u{2003}\u{205f}\u{3000}]{0,3}){0,9}"
        ) {
            let text = format!("{text}</p>");
            let words: Vec<_> = text.split_whitespace().collect();
            prop_assert_eq!(essence(&text), words.join(" "));
        }
    }

    #[test]
    fn numbers_and_dates_are_no_part_of_the_skeleton() {
        for (one, other) in [
            ("Online since 3 March 2026", "Online since 14 Nov 2026"),
            ("<b>1,204</b> views", "<b>1,377</b> views"),
            (
                "https://a.example/?id=1&utm_source=x",
                "https://a.example/?id=2",
            ),
        ] {
            assert_eq!(skeleton(one), skeleton(other), "{one}");
        }
        for (one, other) in [("You may march", "You may go"), ("3 cooks", "3 bakers")] {
            assert_ne!(skeleton(one), skeleton(other), "{one}");
        }
    }
}
