//! What an author says about a rejection, before it is shown to whoever pushed the posting.

use super::{
    address::addresses,
    reading::{is_unseen, turns_direction},
};
use crate::enrichment::ReasonCode;

/// How many characters an author may say about a rejection.
pub const DETAIL: usize = 300;

/// What is wrong with the text of a rejection, in sentences for its author.
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

/// The text of a rejection: what the code means, and what the author says about it. One line;
/// what the author says is cut at [`DETAIL`] characters, and addresses are taken out of it.
pub fn explanation(code: ReasonCode, text: &str) -> String {
    let sentence = code.sentence();
    let detail = detail(text);
    if detail.is_empty() || sentence.contains(&detail) {
        return sentence.to_owned();
    }
    format!("{sentence} {detail}")
}

fn detail(text: &str) -> String {
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

    fn sentence(text: &str) -> String {
        let sentence = ReasonCode::Spam.sentence();
        let explanation = explanation(ReasonCode::Spam, text);
        let rest = explanation.strip_prefix(sentence).unwrap();
        rest.to_owned()
    }

    #[test]
    fn the_code_speaks_first() {
        assert_eq!(sentence("It repeats “loan”."), " It repeats “loan”.");
        assert_eq!(sentence(""), "");
        assert_eq!(sentence(" \n\u{200b}\u{1} "), "");
        assert_eq!(sentence(ReasonCode::Spam.sentence()), "");
    }

    #[test]
    fn the_detail_is_one_short_line_without_addresses() {
        assert_eq!(sentence("a\r\n b\tc\u{1b}[31m"), " a b c[31m");
        assert_eq!(sentence("\u{202e}abc\u{2066}"), " abc");
        assert_eq!(
            sentence("see https://x.org/a, www.x.org or a\u{ad}@b.no"),
            " see [link] [link] or [link]"
        );
        let long = sentence(&"é ".repeat(500));
        assert_eq!(long.chars().count(), DETAIL + 1);
        assert!(long.ends_with('…'));
        assert_eq!(sentence(&"é".repeat(DETAIL)).chars().count(), DETAIL + 1);
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
        fn any_explanation_is_one_line(text in ".{0,400}|(?s:.{0,40})") {
            let explanation = explanation(ReasonCode::Fraud, &text);
            prop_assert!(explanation.starts_with(ReasonCode::Fraud.sentence()));
            prop_assert!(!explanation.contains(char::is_control));
            prop_assert!(addresses(&explanation).is_empty());
            let most = ReasonCode::Fraud.sentence().chars().count() + 1 + DETAIL;
            prop_assert!(explanation.chars().count() <= most);
        }
    }
}
