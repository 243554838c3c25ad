//! Finds faults of a draft, as sentences that its model can act on.

use crate::{
    Budget, Exceeded, Posting, Result,
    document::Document,
    markdown,
    redact::{self, Hidden, Phrase, is_enough},
};

/// The most phrases of a draft. Each phrase is searched for in the whole text.
pub const MAX_PHRASES: usize = 100;
/// The share of letters, in percent, that phrases may hide in addition to what the rules hide. A
/// larger share would hide the job itself.
const MAX_PERCENT: usize = 25;
/// Phrases may always hide this many letters, which is enough for a name and an address.
const MAX_LETTERS: usize = 60;
const MAX_NAMED: usize = 3;
/// The longest quotation of a phrase, in characters.
const MAX_QUOTED: usize = 80;

pub(super) fn faults(posting: &Posting<'_>, budget: &Budget) -> Result<Vec<String>> {
    let phrases = posting.hide;
    if phrases.is_empty() {
        return Ok(Vec::new());
    }
    if phrases.len() > MAX_PHRASES {
        return Ok(vec![format!(
            "`hide` has {} entries. Give each text once, and at most {MAX_PHRASES}.",
            phrases.len()
        )]);
    }
    let mut faults = Vec::new();
    if !phrases.iter().all(|phrase| is_enough(phrase.text)) {
        faults
            .push("A text in `hide` is empty or a single character. Give whole words.".to_owned());
    }
    let document = read(posting, budget)?;
    let text = document.text();
    let mut missing = absent(posting, &document, &text, budget)?;
    if missing.len() * 2 > phrases.len() {
        missing.truncate(MAX_NAMED);
        faults.push(format!(
            "Most texts in `hide` are neither in the title nor in the description: {}. Copy them \
             letter for letter.",
            missing.join(", ")
        ));
    }
    faults.extend(too_much(posting, &text, budget)?);
    Ok(faults)
}

/// Counts phrases that are neither in the title nor in the description.
pub fn dropped(posting: &Posting<'_>, budget: &Budget) -> Result<usize, Exceeded> {
    let document = read(posting, budget)?;
    Ok(absent(posting, &document, &document.text(), budget)?.len())
}

/// Returns the passages that are in the title or the description, as Markdown or as readers see it.
pub fn verbatim(
    passages: &[String],
    posting: &Posting<'_>,
    budget: &Budget,
) -> Result<Vec<String>, Exceeded> {
    let document = read(posting, budget)?;
    let (markdown, text) = (markdown::write(&document, budget)?, document.text());
    let shown = [posting.title, &markdown, &text];
    let mut found = Vec::new();
    for passage in passages.iter().map(|passage| passage.trim()) {
        budget.spend(markdown.len() + text.len())?;
        if is_enough(passage) && shown.iter().any(|text| text.contains(passage)) {
            found.push(passage.to_owned());
        }
    }
    Ok(found)
}

pub(super) fn read(posting: &Posting<'_>, budget: &Budget) -> Result<Document> {
    let document = markdown::read(posting.description, posting.base_url, budget)?;
    budget.spend(document.steps())?;
    Ok(document)
}

fn absent(
    posting: &Posting<'_>,
    document: &Document,
    text: &str,
    budget: &Budget,
) -> Result<Vec<String>> {
    let shown = [posting.title, &markdown::write(document, budget)?, text];
    let mut missing = Vec::new();
    for phrase in posting.hide.iter().filter(|phrase| is_enough(phrase.text)) {
        if !is_shown(phrase, &shown, budget)? {
            missing.push(quoted(phrase.text));
        }
    }
    Ok(missing)
}

fn is_shown(phrase: &Phrase<'_>, shown: &[&str], budget: &Budget) -> Result<bool> {
    for words in phrase.forms(budget)?.into_iter().flatten() {
        for text in shown {
            budget.spend(text.len() + words.len())?;
            if text.contains(&*words) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn too_much(posting: &Posting<'_>, text: &str, budget: &Budget) -> Result<Option<String>> {
    let by_rules = Posting {
        hide: &[],
        ..*posting
    };
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let hidden = |found: Vec<Hidden>| -> usize {
        found
            .into_iter()
            .map(|hidden| letters(&text[hidden.range]))
            .sum()
    };
    let of_rules = hidden(redact::find(text, &by_rules, budget)?);
    let with_phrases = hidden(redact::find(text, posting, budget)?);
    let (more, all) = (with_phrases.saturating_sub(of_rules), letters(text));
    Ok((more > MAX_LETTERS.max(all * MAX_PERCENT / 100)).then(|| {
        format!(
            "`hide` takes {more} of the {all} letters and digits of the description. Hide only \
             what identifies the employer or its contacts, and nothing of the job."
        )
    }))
}

fn quoted(text: &str) -> String {
    let line: String = text
        .trim()
        .chars()
        .map(|c| if c.is_control() || c == '`' { ' ' } else { c })
        .take(MAX_QUOTED)
        .collect();
    format!("`{}`", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{redact::Kind, rules, testing::posting};

    const SOURCE: &str = "<p>We look for a <b>cook</b> for our kitchen in the harbour: evenings \
        &amp; weekends, good pay, a small team that knows fish.</p>\
        <p>Ask Berit Moe-Lie at Acmera AS, <a href=\"https://acmera.no/jobs/1\">or apply</a>. \
        You write snake_case and <code>Vec&lt;u8></code>.</p>";

    fn faults(hide: &[&str]) -> Vec<String> {
        let kind = Kind::Person;
        let hide: Vec<_> = hide.iter().map(|text| Phrase { text, kind }).collect();
        let posting = Posting {
            hide: &hide,
            ..posting(SOURCE)
        };
        super::faults(&posting, &Budget::of(SOURCE)).unwrap()
    }

    #[track_caller]
    fn check(hide: &[&str], expect: &[&str]) {
        let found = faults(hide);
        assert_eq!(found.len(), expect.len(), "{found:#?}");
        for (found, expect) in found.iter().zip(expect) {
            assert!(found.contains(expect), "{expect:?} is not in {found:?}");
        }
    }

    #[test]
    fn text_of_the_posting_can_be_hidden() {
        check(&[], &[]);
        for text in [
            "Berit Moe-Lie",
            "Berit",
            // As Markdown and as it reads.
            "evenings & weekends",
            "**cook**",
            "cook",
            "cook** for",
            "snake_case",
            "snake\\_case",
            "Vec<u8>",
            // The title, and what rules hide anyway.
            "Cook",
            "Acmera AS",
            "https://acmera.no/jobs/1",
            "[or apply](https://acmera.no/jobs/1)",
            // Only a part of a word, which hides nothing.
            "snake",
        ] {
            check(&[text], &[]);
        }
    }

    #[test]
    fn what_is_not_there_cannot() {
        check(
            &["Berit Moe", "berit moe", "Ada `Lee`\nLee", "Oslo"],
            &["description: `berit moe`, `Ada  Lee  Lee`, `Oslo`. Copy"],
        );
        // Half of them and fewer are dropped.
        check(&["Berit Moe", "berit moe"], &[]);
        check(&["Berit Moe", "berit moe", "Oslo"], &["Most texts"]);
        let long = "x".repeat(200);
        check(&[long.as_str(); 5], &["letter for letter"]);
        assert!(faults(&[long.as_str(); 5])[0].len() < 500);
    }

    #[test]
    fn what_is_too_short_cannot() {
        for text in ["", " ", "a", "**", "- ", "\u{1e}", "e."] {
            check(&[text], &["is empty or a single character"]);
        }
    }

    #[test]
    fn there_is_a_limit_of_phrases() {
        check(&["Berit"; MAX_PHRASES], &[]);
        check(&["Berit"; MAX_PHRASES + 1], &["101 entries"]);
        // As many are looked up within the budget of the description.
        let long = SOURCE.repeat(50);
        let words: Vec<&str> = long
            .split_whitespace()
            .filter(|word| is_enough(word))
            .collect();
        let hide: Vec<_> = words[..MAX_PHRASES]
            .iter()
            .map(|text| Phrase {
                text,
                kind: Kind::Link,
            })
            .collect();
        let posting = Posting {
            hide: &hide,
            ..posting(&long)
        };
        assert!(super::faults(&posting, &Budget::of(&long)).is_ok());
    }

    #[test]
    fn nobody_hides_the_job() {
        check(&["We look for a cook for our kitchen in the harbour"], &[]);
        let whole = "We look for a cook for our kitchen in the harbour: evenings & weekends, good \
            pay, a small team that knows fish.";
        check(&[whole], &["takes 85 of the 141 letters"]);
        let parts = ["our kitchen in the harbour", "evenings", "weekends"];
        check(&parts, &[]);
        let parts = [&parts[..], &["good pay, a small team that knows fish"]].concat();
        check(&parts, &["Hide only"]);
        // Text that the rules already hide does not count as hidden by the draft.
        let acmera = "Acmera AS ".repeat(100);
        let hide = [Phrase {
            text: "Acmera AS Acmera AS",
            kind: Kind::Company,
        }];
        let posting = Posting {
            hide: &hide,
            ..posting(&acmera)
        };
        let found = super::faults(&posting, &Budget::of(&acmera)).unwrap();
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn a_rejection_needs_a_sentence_and_no_phrases() {
        let hide = [Phrase {
            text: "nowhere",
            kind: Kind::Link,
        }];
        let posting = Posting {
            hide: &hide,
            ..posting(SOURCE)
        };
        let faults = |text| rules::faults(&posting, Some(text), &Budget::of(SOURCE)).unwrap();
        assert_eq!(faults("It sells a course."), [""; 0]);
        assert_eq!(faults(" ").len(), 1);
    }
}
