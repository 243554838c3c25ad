use std::collections::BTreeMap;

use super::draft::{MAX_PHRASES, read};
use crate::{
    Budget, Exceeded, Posting, Result,
    document::{is_unseen, turns_direction},
    redact::{self, Phrase, Scan},
};

/// The longest explanation of a rejection, in characters.
pub const DETAIL: usize = 300;
/// The characters of an explanation that are read: tokens may be shorter than the hidden words.
const READ: usize = 2 * DETAIL;

pub(super) fn faults(text: &str, posting: &Posting<'_>, budget: &Budget) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 {
        faults.push("The rejection has no sentence. Say in one sentence why.".to_owned());
    }
    if length > DETAIL {
        faults.push(format!(
            "The sentence of the rejection has {length} characters. Use at most {DETAIL}."
        ));
        return Ok(faults);
    }
    if text.contains(['\n', '\r']) {
        faults.push("The sentence of the rejection has several lines. Write one.".to_owned());
    }
    if !Scan::of(text, posting.company_website, budget)?
        .contacts
        .is_empty()
    {
        faults.push(
            "The sentence of the rejection has a person's address or number. Leave it out."
                .to_owned(),
        );
    }
    Ok(faults)
}

/// Makes an explanation fit for one line of [`DETAIL`] characters, with tokens for everything that
/// a redacted text hides, even without the words that gave it away in the description.
pub fn detail(text: &str, posting: &Posting<'_>, budget: &Budget) -> Result<String, Exceeded> {
    let is_shown = |c: &char| {
        let is_control = c.is_control() && !c.is_whitespace();
        !is_control && !is_unseen(*c) && !turns_direction(*c)
    };
    let text: String = text.chars().filter(is_shown).take(READ).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let document = read(posting, budget)?;
    let description = document.text();
    let mut repeated = BTreeMap::new();
    for hidden in redact::find(&description, posting, budget)? {
        repeated.insert(&description[hidden.range], hidden.kind);
    }
    budget.spend(repeated.len().saturating_mul(text.len()))?;
    let phrases = repeated
        .into_iter()
        .filter(|(phrase, _)| text.contains(phrase))
        .map(|(text, kind)| Phrase { text, kind });
    let hide: Vec<_> = phrases.take(MAX_PHRASES).collect();
    let posting = Posting {
        hide: &hide,
        ..*posting
    };
    let line = redact::with_tokens(&text, redact::find(&text, &posting, budget)?);
    Ok(match line.char_indices().nth(DETAIL) {
        None => line,
        Some(_) => line.chars().take(DETAIL - 1).chain(['…']).collect(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::posting;

    fn detail(text: &str) -> String {
        super::detail(text, &posting("A cook."), &Budget::unlimited()).unwrap()
    }

    fn faults(text: &str) -> Vec<String> {
        super::faults(text, &posting("A cook."), &Budget::unlimited()).unwrap()
    }

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
            "see [link], [link] or [email]"
        );
        assert_eq!(
            detail("Use evil-jobs.com or +47 22 33 44 55 to pay Acmera AS"),
            "Use [link] or [phone] to pay [company]"
        );
        let long = detail(&"é ".repeat(500));
        assert_eq!(long.chars().count(), DETAIL);
        assert!(long.ends_with('…'));
        assert_eq!(detail(&"é".repeat(DETAIL)).chars().count(), DETAIL);
    }

    #[test]
    fn what_the_description_hides_is_hidden_in_the_detail() {
        let posting = posting("<p>Pay a fee first. Ask Berit Moe, berit@acmera.no.</p>");
        let detail = |text| super::detail(text, &posting, &Budget::of(posting.description));
        assert_eq!(
            detail("Nobody may have to pay Berit Moe first."),
            Ok("Nobody may have to pay [person] first.".to_owned())
        );
    }

    #[test]
    fn faults_of_a_rejection() {
        assert_eq!(faults("It sells a course."), [""; 0]);
        for (text, expect) in [
            (String::new(), "no sentence"),
            (" \n ".to_owned(), "no sentence"),
            ("a".repeat(301), "301 characters"),
            ("a\nb".to_owned(), "several lines"),
            ("See http://x.org".to_owned(), "address or number"),
            ("See evil-jobs.com/apply".to_owned(), "address or number"),
            ("Write to a@b.no".to_owned(), "address or number"),
            ("Call +47 22 33 44 55".to_owned(), "address or number"),
        ] {
            let found = faults(&text);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains(expect), "{found:?}");
        }
        assert_eq!(faults("See\nhttps://x.org").len(), 2);
    }

    proptest! {
        #[test]
        fn any_detail_is_one_line(text in ".{0,400}|(?s:.{0,40})") {
            let detail = detail(&text);
            prop_assert!(!detail.contains(char::is_control));
            prop_assert!(detail.chars().count() <= DETAIL);
        }
    }
}
