//! A model's explanation of a rejection.

use super::{
    address::addresses,
    reading::{is_unseen, turns_direction},
};

/// The longest explanation, in characters.
pub const DETAIL: usize = 300;

/// Finds faults of an explanation, as sentences for its model.
pub(super) fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 {
        faults.push("The rejection has no text. Say in one sentence why.".to_owned());
    }
    if length > DETAIL {
        faults.push(format!(
            "The text of the rejection has {length} characters. Use at most {DETAIL}."
        ));
    }
    if text.contains(['\n', '\r']) {
        faults.push("The text of the rejection has several lines. Write one.".to_owned());
    }
    if !addresses(text).is_empty() {
        faults.push(
            "The text of the rejection has a URL or an e-mail address. Leave it out.".to_owned(),
        );
    }
    faults
}

/// Makes an explanation fit to show on one line: cut at [`DETAIL`] characters, without control
/// characters, and with `[link]` for addresses.
pub fn detail(text: &str) -> String {
    let is_shown = |c: &char| {
        let is_control = c.is_control() && !c.is_whitespace();
        !is_control && !is_unseen(*c) && !turns_direction(*c)
    };
    let text: String = text.chars().filter(is_shown).collect();
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| {
            if addresses(word).is_empty() {
                word
            } else {
                "[link]"
            }
        })
        .collect();
    let line = words.join(" ");
    match line.char_indices().nth(DETAIL) {
        None => line,
        Some(_) => line.chars().take(DETAIL - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_says_nothing_is_nothing() {
        assert_eq!(detail("It repeats “loan”."), "It repeats “loan”.");
        assert_eq!(detail(""), "");
        assert_eq!(detail(" \n\u{200b}\u{1} "), "");
    }

    #[test]
    fn the_detail_is_one_short_line_without_addresses() {
        assert_eq!(detail("a\r\n b\tc\u{1b}[31m"), "a b c[31m");
        assert_eq!(detail("\u{202e}abc\u{2066}"), "abc");
        assert_eq!(
            detail("see https://x.org/a, www.x.org or a\u{ad}@b.no"),
            "see [link] [link] or [link]"
        );
        let long = detail(&"é ".repeat(500));
        assert_eq!(long.chars().count(), DETAIL);
        assert!(long.ends_with('…'));
        assert_eq!(detail(&"é".repeat(DETAIL)).chars().count(), DETAIL);
    }

    #[test]
    fn faults_of_a_rejection() {
        assert_eq!(faults("It sells a course."), [""; 0]);
        for (text, expect) in [
            (String::new(), "no text"),
            (" \n ".to_owned(), "no text"),
            ("a".repeat(301), "301 characters"),
            ("a\nb".to_owned(), "several lines"),
            ("See http://x.org".to_owned(), "a URL"),
            ("Write to a@b.no".to_owned(), "an e-mail address"),
        ] {
            let found = faults(&text);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains(expect), "{found:?}");
        }
        assert_eq!(
            faults(&format!("{}\nhttps://x.org", "a".repeat(300))).len(),
            3
        );
    }

    proptest! {
        #[test]
        fn any_detail_is_one_line(text in ".{0,400}|(?s:.{0,40})") {
            let detail = detail(&text);
            prop_assert!(!detail.contains(char::is_control));
            prop_assert!(addresses(&detail).is_empty());
            prop_assert!(detail.chars().count() <= DETAIL);
        }
    }
}
