//! Phrases to hide that somebody else than the rules has found, such as a language model.

use std::{borrow::Cow, cmp::Reverse};

use unicode_normalization::char::is_combining_mark;

use super::{Hidden, Kind, Phrase, script::is_unspaced};
use crate::{Budget, Range, Result, document::SEPARATOR, reading::Reading};

impl<'a> Phrase<'a> {
    /// The words as a reader sees them, by every way of reading the phrase: as it is, as Markdown
    /// (by its blocks), and as a part of Markdown whose marks have no other half.
    pub(crate) fn forms(&self, budget: &Budget) -> Result<Vec<Vec<Cow<'a, str>>>> {
        let as_it_is = self.text.trim();
        let reading = Reading::of(self.text, budget)?;
        // Of a link the address is hidden already; its words may be any.
        let is_link = matches!(self.kind, Kind::Email | Kind::Phone | Kind::Link)
            && !reading.links.is_empty();
        let blocks = reading.text.split(SEPARATOR).map(str::trim);
        let blocks = blocks.filter(|block| !is_link && *block != as_it_is);
        let blocks = blocks.map(|block| Cow::Owned(block.to_owned())).collect();
        let bare = self.text.replace(['*', '_', '`', '\\'], "");
        let bare = (bare.trim() != as_it_is).then(|| Cow::Owned(bare.trim().to_owned()));
        let mut forms = vec![
            vec![Cow::Borrowed(as_it_is)],
            blocks,
            bare.into_iter().collect(),
        ];
        for form in &mut forms {
            form.retain(|words| is_enough(words));
        }
        Ok(forms)
    }
}

/// Whether a text has two letters or digits. One alone would be hidden all over any text.
pub(crate) fn is_enough(text: &str) -> bool {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .nth(1)
        .is_some()
}

/// Adds to what is found what phrases hide beyond it. The longest comes first, and where two
/// overlap the rest of the shorter one is hidden beside it.
pub(super) fn add_phrases(
    found: &mut Vec<Hidden>,
    text: &str,
    phrases: &[Phrase<'_>],
    budget: &Budget,
) -> Result<()> {
    let mut phrases = phrases.to_vec();
    phrases.sort_by_key(|phrase| Reverse(phrase.text.len()));
    for phrase in phrases {
        for form in phrase.forms(budget)? {
            let mut is_there = false;
            for words in form {
                let ranges = standing_alone(text, &words, budget)?;
                is_there |= !ranges.is_empty();
                budget.spend(found.len() + ranges.len())?;
                add_uncovered(found, text, &ranges, phrase.kind);
            }
            if is_there {
                break;
            }
        }
    }
    Ok(())
}

/// Where words stand in a text, with no part of another word directly beside them.
fn standing_alone(text: &str, words: &str, budget: &Budget) -> Result<Vec<Range>> {
    budget.spend(text.len() + words.len())?;
    let (first, last) = (words.chars().next(), words.chars().next_back());
    let is_alone = |range: &Range| {
        let before = text[..range.start].chars().next_back();
        let after = text[range.end..].chars().next();
        !is_one_word(before, first) && !is_one_word(last, after)
    };
    let ranges = text.match_indices(words);
    let ranges = ranges.map(|(at, found)| at..at + found.len());
    Ok(ranges.filter(is_alone).collect())
}

/// Whether two neighbours belong to the same word.
fn is_one_word(one: Option<char>, next: Option<char>) -> bool {
    let (Some(one), Some(next)) = (one, next) else {
        return false;
    };
    let is_spaced = |c: char| c.is_alphanumeric() && !is_unspaced(c);
    is_combining_mark(next) || (is_spaced(one) && is_spaced(next))
}

/// Adds the parts of ranges that are in no known one. What is left beside a known one begins and
/// ends with a letter or a digit.
fn add_uncovered(found: &mut Vec<Hidden>, text: &str, ranges: &[Range], kind: Kind) {
    let mut all: Vec<Hidden> = Vec::with_capacity(found.len() + ranges.len());
    let mut known = std::mem::take(found).into_iter().peekable();
    let hidden = |range| Hidden { range, kind };
    for range in ranges {
        while let Some(before) = known.next_if(|other| other.range.end <= range.start) {
            all.push(before);
        }
        let covered = all.last().map_or(0, |last| last.range.end);
        let mut start = range.start.max(covered);
        while let Some(inside) = known.next_if(|other| other.range.start < range.end) {
            all.extend(part(text, range, start..inside.range.start).map(hidden));
            start = inside.range.end;
            all.push(inside);
        }
        all.extend(part(text, range, start..range.end).map(hidden));
    }
    all.extend(known);
    *found = all;
}

/// A part of a range without the punctuation at the ends where it was cut.
fn part(text: &str, range: &Range, part: Range) -> Option<Range> {
    let Range { mut start, mut end } = part;
    if start >= end {
        return None;
    }
    let apart = |c: char| !c.is_alphanumeric();
    if start > range.start {
        start = end - text[start..end].trim_start_matches(apart).len();
    }
    if end < range.end {
        end = start + text[start..end].trim_end_matches(apart).len();
    }
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::redact::with_tokens;

    fn found(text: &str, known: Vec<Hidden>, phrases: &[Phrase<'_>]) -> Vec<Hidden> {
        let mut found = known;
        add_phrases(&mut found, text, phrases, &Budget::unlimited()).unwrap();
        found
    }

    /// A text with tokens in place of what is hidden.
    fn hidden(text: &str, known: &[(&str, Kind)], phrases: &[(&str, Kind)]) -> String {
        let known = known
            .iter()
            .map(|(part, kind)| {
                let at = text.find(part).unwrap();
                Hidden {
                    range: at..at + part.len(),
                    kind: *kind,
                }
            })
            .collect();
        let phrases: Vec<_> = phrases
            .iter()
            .map(|(text, kind)| Phrase { text, kind: *kind })
            .collect();
        with_tokens(text, found(text, known, &phrases))
    }

    #[test]
    fn whole_words_are_hidden_wherever_they_stand() {
        for (text, phrase, expect) in [
            (
                "Ada Lee leads. Ask Ada Lee.",
                "Ada Lee",
                "[person] leads. Ask [person].",
            ),
            ("Adams and Ada", "Ada", "Adams and [person]"),
            ("Ada-Lee, (Ada)", "Ada", "[person]-Lee, ([person])"),
            ("Ada2 Ada", "Ada", "Ada2 [person]"),
            ("Adá Adá", "Ada", "Adá Adá"),
            ("Ada\u{301} Ada", "Ada", "Ada\u{301} [person]"),
            ("担当は佐藤です", "佐藤", "担当は[person]です"),
            ("佐藤Ada", "Ada", "佐藤[person]"),
            ("ada Ada", "Ada", "ada [person]"),
            ("Ada Lee", " Ada ", "[person] Lee"),
        ] {
            assert_eq!(
                hidden(text, &[], &[(phrase, Kind::Person)]),
                expect,
                "{text}"
            );
        }
    }

    #[test]
    fn a_phrase_may_be_markdown() {
        for (phrase, expect) in [
            ("**Ada** Lee", "Ask [company] & Co_1 now"),
            ("Ada** Lee", "Ask [company] & Co_1 now"),
            ("Lee &amp; Co\\_1", "Ask Ada [company] now"),
            ("Co\\_1", "Ask Ada Lee & [company] now"),
            ("- Ada Lee", "Ask [company] & Co_1 now"),
            ("Ada\n\nLee", "Ask [company] [company] & Co_1 now"),
            ("[Ada Lee](https://x.example)", "Ask [company] & Co_1 now"),
        ] {
            let text = "Ask Ada Lee & Co_1 now";
            assert_eq!(
                hidden(text, &[], &[(phrase, Kind::Company)]),
                expect,
                "{phrase}"
            );
        }
    }

    #[test]
    fn the_words_of_a_link_are_not_its_address() {
        let text = "Apply here";
        for phrase in ["[Apply](https://x.example)", "https://x.example"] {
            assert_eq!(hidden(text, &[], &[(phrase, Kind::Link)]), text);
        }
    }

    #[test]
    fn what_rules_hide_stays_theirs() {
        let text = "Ask Ada Lee <ada@x.example>, Brightvik AS.";
        let known = [("ada@x.example", Kind::Email), ("Brightvik", Kind::Company)];
        for (phrase, kind, expect) in [
            (
                "Ada Lee <ada@x.example>",
                Kind::Person,
                "Ask [person] <[email]>, [company] AS.",
            ),
            (
                "ada@x.example",
                Kind::Person,
                "Ask Ada Lee <[email]>, [company] AS.",
            ),
            (
                "x.example",
                Kind::Link,
                "Ask Ada Lee <[email]>, [company] AS.",
            ),
            (
                "Brightvik AS",
                Kind::Address,
                "Ask Ada Lee <[email]>, [company] [address].",
            ),
        ] {
            assert_eq!(hidden(text, &known, &[(phrase, kind)]), expect, "{phrase}");
        }
    }

    #[test]
    fn of_two_that_overlap_the_longer_is_whole() {
        let phrases = [("Lee Park", Kind::Address), ("Ada B. Lee", Kind::Person)];
        assert_eq!(
            hidden("Ask Ada B. Lee Park", &[], &phrases),
            "Ask [person] [address]"
        );
    }

    proptest! {
        #[test]
        fn ranges_are_in_order_and_apart(
            text in "[ab .*é佐]{0,40}",
            known in prop::collection::vec((0_usize..40, 0_usize..6), 0..4),
            phrases in prop::collection::vec("[ab .*é佐\\[\\]()]{0,6}", 0..6),
        ) {
            let mut at = 0;
            let mut ranges = Vec::new();
            for (start, length) in known {
                let start = text.ceil_char_boundary(at + start);
                let end = text.ceil_char_boundary(start + length);
                if start < end {
                    ranges.push(Hidden { range: start..end, kind: Kind::Link });
                    at = end;
                }
            }
            let phrases: Vec<_> =
                phrases.iter().map(|text| Phrase { text, kind: Kind::Person }).collect();
            let found = found(&text, ranges.clone(), &phrases);
            prop_assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
            prop_assert!(found.iter().all(|found| found.range.start < found.range.end));
            prop_assert!(found.iter().all(|found| text.get(found.range.clone()).is_some()));
            prop_assert!(ranges.iter().all(|known| found.contains(known)));
        }
    }
}
