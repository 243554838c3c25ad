//! The parts of descriptions that count when two descriptions are compared.

use std::borrow::Cow;

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
pub(super) fn essence(text: &str) -> Cow<'_, str> {
    let text = without_tracking(text);
    let is_html = ["</", "<p", "<br", "<li"]
        .iter()
        .any(|tag| text.contains(tag));
    let is_spaced = text.contains("  ") || text.contains(['\n', '\t', '\r', '\u{a0}']);
    let is_aged = text.bytes().any(|byte| byte.is_ascii_digit());
    if !is_spaced && !is_aged && text.trim() == text {
        return text;
    }
    let mut words = Vec::new();
    let is_whole = is_html && !text.contains("<pre");
    let mut lines = 0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if lines > 0 && !is_whole {
            words.push(if lines == 1 { "\n" } else { "\n\n" });
        }
        words.push(&rest[..end]);
        let gap = rest[end..].trim_start();
        let space = &rest[end..rest.len() - gap.len()];
        lines = space.matches('\n').count();
        rest = gap;
    }
    forget_ages(&mut words);
    words.join(" ").into()
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

fn forget_ages(words: &mut [&str]) {
    for at in 0..words.len() {
        if !words[at].bytes().any(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let digits = plain(words[at]);
        let is_number = digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'+');
        let unit = words
            .get(at + 1)
            .map(|word| plain(word))
            .unwrap_or_default();
        let is_unit = UNITS.iter().any(|beginning| {
            unit.strip_prefix(beginning)
                .is_some_and(|end| end.chars().count() < 4)
        });
        let behind = words
            .get(at + 2)
            .map(|word| plain(word))
            .unwrap_or_default();
        let before = at
            .checked_sub(1)
            .map(|at| plain(words[at]))
            .unwrap_or_default();
        let is_age = BEHIND.contains(&&*behind) || BEFORE.contains(&&*before) || before == "a";
        if is_number && is_unit && is_age {
            words[at] = "#";
            words[at + 1] = "#";
        }
    }
}

fn plain(word: &str) -> String {
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
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

fn without_tracking(text: &str) -> Cow<'_, str> {
    if !text.contains('?') || !text.contains("://") {
        return text.into();
    }
    let mut out = String::new();
    let mut copied = 0;
    for (at, sign) in text.match_indices(['?', '&']) {
        if at < copied {
            continue;
        }
        let mut end = at + sign.len();
        let name = text[end..].strip_prefix("amp;");
        end += if name.is_some() { 4 } else { 0 };
        let pair = &text[end..];
        let length = pair.find(|c: char| c.is_whitespace() || "&\"'<>)#".contains(c));
        let pair = &pair[..length.unwrap_or(pair.len())];
        if pair.contains('=') && tracking::is_pair(pair) {
            out.push_str(&text[copied..at]);
            copied = end + pair.len();
        }
    }
    if copied == 0 {
        return text.into();
    }
    (out + &text[copied..]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_by_itself_does_not_count() {
        for (one, other) in [
            ("<p>Bread.</p>", " <p>Bread.</p>\n"),
            ("<p>Bread and\n rolls.</p>", "<p>Bread  and rolls.</p>"),
            ("Posted 37 minutes ago", "Posted 2 hours ago"),
            ("<p>Posted 37 minutes ago</p>", "<p>Posted 3 days ago</p>"),
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
            ("<p>5 days</p>", "<p>6 days</p>"),
        ] {
            assert_ne!(essence(one), essence(other), "{one}");
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
