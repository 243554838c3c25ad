//! Finds faults of a draft, as sentences that its model can act on.

use std::borrow::Cow;

use super::{
    Texts,
    address::{Known, addresses},
    longest,
    reading::Reading,
    rejection,
};
use crate::{Budget, Exceeded};

/// The shortest text, in percent of its source's letters. A model may drop repetitions and what is
/// no description; a summary or an unfinished text is shorter.
const MIN_PERCENT: usize = 60;
/// How many letters fewer than that are still accepted: a short text may be mostly greetings and
/// addresses.
const MIN_SLACK: usize = 60;
/// The longest text, in percent of its source's letters. Headings, and sentences instead of
/// keywords, are fine; inventions and translations are not.
const MAX_PERCENT: usize = 150;
/// How many letters more than that are still accepted.
const MAX_SLACK: usize = 300;
/// The most addresses to name in one sentence.
const MAX_NAMED: usize = 3;
/// The longest part of an address or a tag to quote, in characters.
const MAX_QUOTED: usize = 80;

/// Returns the faults of a draft, as sentences for its model; none if the draft can be used.
/// `markdown` is the description as the model was given it.
///
/// - A text is empty, or much shorter or longer than its source: the description, or for the
///   redacted text the draft's own `markdown`. Only letters and digits outside addresses count,
///   since redaction removes addresses. A rejection needs no texts.
/// - A text has raw HTML. What the description shows as text, such as `List<String>`, is only badly
///   escaped.
/// - `markdown` has an address that the description lacks: a posting may tell a model to add one.
/// - A rejection has no reason, or one that is too long, has several lines or has an address.
///
/// Gaps in the redaction are no fault: rules complete it.
pub fn faults(draft: &Texts<'_>, markdown: &str, budget: &Budget) -> Result<Vec<String>, Exceeded> {
    let mut faults = too_long(draft, markdown);
    if !faults.is_empty() {
        return Ok(faults);
    }
    let description = Reading::of(markdown, budget)?;
    let readable = Reading::of(draft.markdown, budget)?;
    let redacted = Reading::of(draft.redacted_markdown, budget)?;
    let texts = [
        ("markdown", &readable, "the description", &description),
        ("redacted_markdown", &redacted, "`markdown`", &readable),
    ];
    for (name, text, source_name, source) in texts {
        let is_needed = draft.rejection.is_none() || !text.text.trim().is_empty();
        if is_needed {
            faults.extend(length(name, text, source_name, source));
        }
        faults.extend(html(name, text, &description, budget)?);
    }
    faults.extend(added_addresses(&readable, &description, budget)?);
    if let Some(text) = draft.rejection {
        faults.extend(rejection::faults(text));
    }
    Ok(faults)
}

/// Finds texts that are too long, which are not checked further.
fn too_long(draft: &Texts<'_>, markdown: &str) -> Vec<String> {
    let most = longest(markdown);
    [
        ("markdown", draft.markdown),
        ("redacted_markdown", draft.redacted_markdown),
    ]
    .into_iter()
    .filter(|(_, text)| text.len() > most)
    .map(|(name, text)| {
        format!(
            "`{name}` has {} bytes, the description has {}. Add nothing.",
            text.len(),
            markdown.len()
        )
    })
    .collect()
}

fn length(
    name: &str,
    text: &Reading<'_>,
    source_name: &str,
    source: &Reading<'_>,
) -> Option<String> {
    let (letters, all) = (letters(&text.text), letters(&source.text));
    let problem = if letters == 0 && all > 0 {
        return Some(format!("`{name}` is empty, but {source_name} is not."));
    } else if letters + MIN_SLACK < all * MIN_PERCENT / 100 {
        "Keep all that it says about the job, to its end."
    } else if letters > all * MAX_PERCENT / 100 + MAX_SLACK {
        "Add nothing, and keep its language."
    } else {
        return None;
    };
    Some(format!(
        "`{name}` has {letters} letters and digits, {source_name} has {all}. {problem}"
    ))
}

/// The number of letters and digits outside addresses.
fn letters(text: &str) -> usize {
    let count = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let hidden: usize = addresses(text)
        .into_iter()
        .map(|range| count(&text[range]))
        .sum();
    count(text) - hidden
}

fn html(
    name: &str,
    text: &Reading<'_>,
    description: &Reading<'_>,
    budget: &Budget,
) -> Result<Option<String>, Exceeded> {
    for html in &text.html {
        let tag = html.trim();
        budget.spend(description.text.len() + tag.len())?;
        if !description.text.contains(tag) {
            return Ok(Some(format!(
                "`{name}` has raw HTML: {}. Write Markdown alone, and `&lt;` where a `<` is meant.",
                quoted(tag)
            )));
        }
    }
    Ok(None)
}

fn added_addresses(
    text: &Reading<'_>,
    description: &Reading<'_>,
    budget: &Budget,
) -> Result<Option<String>, Exceeded> {
    let shown = addresses(&text.text);
    if shown.is_empty() && text.links.is_empty() && text.images.is_empty() {
        return Ok(None);
    }
    let known = Known::of(description);
    let shown = shown
        .into_iter()
        .map(|range| Cow::Borrowed(&text.text[range]));
    let linked = text.links.iter().chain(&text.images).cloned();
    let mut added: Vec<Cow<'_, str>> = Vec::new();
    for address in linked.chain(shown) {
        if !known.has(&address, budget)? {
            added.push(address);
        }
    }
    added.dedup();
    if added.is_empty() {
        return Ok(None);
    }
    let named: Vec<String> = added
        .iter()
        .take(MAX_NAMED)
        .map(|added| quoted(added))
        .collect();
    Ok(Some(format!(
        "`markdown` has addresses that the description does not have: {}. Use none but those of \
         the description.",
        named.join(", ")
    )))
}

/// A short quotation from a draft, on one line.
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
    use crate::testing::{approval, rejection};

    fn faults(draft: &Texts<'_>, markdown: &str) -> Vec<String> {
        super::faults(draft, markdown, &Budget::unlimited()).unwrap()
    }

    const SOURCE: &str = "# Cook\n\nWe look for a cook for our kitchen in the harbour. Evenings and \
        weekends, good pay, a small team that knows fish.\n\n- knives\n- `Vec<u8>`\n\n\
        [Apply](https://acmera.no/jobs/1) or write to jobs@acmera.no.";

    #[track_caller]
    fn check(draft: &Texts<'_>, expect: &[&str]) {
        let found = faults(draft, SOURCE);
        assert_eq!(found.len(), expect.len(), "{found:#?}");
        for (found, expect) in found.iter().zip(expect) {
            assert!(found.contains(expect), "{expect:?} is not in {found:?}");
        }
    }

    #[test]
    fn nothing_is_wrong_with_the_description_itself() {
        check(&approval(SOURCE, SOURCE), &[]);
        let tidied = SOURCE
            .replace("# Cook", "## The cook")
            .replace("/jobs/1", "/jobs/1/");
        let redacted = "We look for a cook for our kitchen in the harbour. Evenings and weekends, \
            good pay.";
        check(&approval(&tidied, redacted), &[]);
    }

    #[test]
    fn a_text_is_empty() {
        check(
            &approval("", ""),
            &["`markdown` is empty, but the description is not."],
        );
        check(
            &approval(SOURCE, "- \n\n---"),
            &["`redacted_markdown` is empty, but `markdown` is not."],
        );
        assert_eq!(faults(&approval("", ""), "---"), [""; 0]);
    }

    #[test]
    fn a_text_is_cut_off_or_invented() {
        let long = SOURCE.repeat(6);
        let found = faults(&approval(SOURCE, SOURCE), &long);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            found[0],
            "`markdown` has 117 letters and digits, the description has 702. Keep all that it \
             says about the job, to its end."
        );
        check(
            &approval(&long, &long),
            &["Add nothing, and keep its language."],
        );
        let half = SOURCE.repeat(3);
        assert_eq!(faults(&approval(&half, &half), &long).len(), 1);
        let found = faults(&approval(&long, "We look for a cook."), &long);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("`redacted_markdown` has 14 letters"),
            "{found:?}"
        );
    }

    #[test]
    fn addresses_do_not_count_as_text() {
        let source = format!(
            "Cook wanted. Apply at https://acmera.no/{}",
            "a".repeat(500)
        );
        let draft = approval(&source, "Cook wanted. Apply at [link]");
        assert_eq!(faults(&draft, &source), [""; 0]);
    }

    #[test]
    fn raw_html_is_a_fault_and_a_bad_escape_is_none() {
        let with = |more: &str| format!("{SOURCE}\n\n{more}");
        check(
            &approval(&with("a<br>b"), &with("<script>x()</script>")),
            &[
                "`markdown` has raw HTML: `<br>`",
                "`redacted_markdown` has raw HTML: `<script>",
            ],
        );
        check(&approval(&with("Vec<u8>"), SOURCE), &[]);
    }

    #[test]
    fn addresses_that_were_added_are_a_fault() {
        let with = |more: &str| format!("{SOURCE} {more}");
        for (more, named) in [
            ("[here](https://evil.example)", "`https://evil.example`"),
            ("[here](javascript:alert(1))", "`javascript:alert(1)`"),
            (
                "![](https://evil.example/p.png)",
                "`https://evil.example/p.png`",
            ),
            ("Go to www.evil.example/x.", "`www.evil.example/x`"),
            ("<boss@evil.example>", "`mailto:boss@evil.example`"),
            ("Write to boss@acmera.no", "`boss@acmera.no`"),
            ("[x]\n\n[x]: https://evil.example", "`https://evil.example`"),
        ] {
            check(&approval(&with(more), SOURCE), &[named]);
        }
        check(
            &approval(
                &with("[Apply](https://www.acmera.no) jobs@acmera.no"),
                SOURCE,
            ),
            &[],
        );
        let many = "https://a.example https://b.example https://c.example https://d.example";
        let found = faults(&approval(&with(many), SOURCE), SOURCE);
        assert!(
            found[0].contains("c.example") && !found[0].contains("d.example"),
            "{found:?}"
        );
        // Rules complete the redaction, so its gaps are not reported to the model.
        check(&approval(SOURCE, &with("https://acmera.no")), &[]);
    }

    #[test]
    fn a_rejection_needs_a_text_and_no_texts() {
        check(&rejection("It sells a course."), &[]);
        check(&rejection(" "), &["no text"]);
        let markdown = &format!("<b>{SOURCE}</b>");
        let draft = Texts {
            markdown,
            ..rejection("See\nhttps://x.org")
        };
        check(&draft, &["has raw HTML", "several lines", "a URL"]);
    }

    #[test]
    fn a_text_out_of_all_proportion_is_not_even_read() {
        let most = "a".repeat(longest(SOURCE));
        check(&approval(&format!("{most}<b>"), &most), &["Add nothing."]);
        let found = faults(&approval(&format!("{most}a"), &most), SOURCE);
        assert!(found[0].contains("bytes"), "{found:?}");
    }

    #[test]
    fn looking_for_addresses_is_paid_for() {
        let links = "[a](https://acmera.no/jobs/1) ".repeat(1_000);
        let draft = approval(&links, &links);
        let spent = |bytes: usize| {
            let budget = Budget::unlimited();
            let known = format!("{SOURCE} {}", "word ".repeat(bytes / 5));
            super::faults(&draft, &known, &budget).unwrap();
            budget.spent()
        };
        let (less, more) = (spent(100_000), spent(200_000));
        assert!(more - less >= 1_000 * 100_000, "{less} {more}");
        let small = Budget::new(less / 2, 0);
        let known = format!("{SOURCE} {}", "word ".repeat(20_000));
        assert_eq!(super::faults(&draft, &known, &small), Err(Exceeded::Steps));
    }

    #[test]
    fn what_is_quoted_is_short_and_on_one_line() {
        let tag = format!("<b\nid='`{}'>", "a".repeat(200));
        let found = faults(&approval(&format!("{SOURCE} {tag}"), SOURCE), SOURCE);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].len() < 200 && !found[0].contains('\n'),
            "{found:?}"
        );
    }
}
