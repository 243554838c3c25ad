use std::{borrow::Cow, cmp::Reverse};

use unicode_normalization::char::is_combining_mark;

use super::{Hidden, Kind, Phrase, script::is_unspaced};
use crate::{Budget, Range, Result, document::SEPARATOR, reading::Reading};

impl<'a> Phrase<'a> {
    /// The words as a reader sees them: as plain text, as the blocks of Markdown, and as a part of
    /// Markdown with unpaired marks.
    pub(crate) fn forms(&self, budget: &Budget) -> Result<Vec<Vec<Cow<'a, str>>>> {
        let as_it_is = self.text.trim();
        let reading = Reading::of(self.text, budget)?;
        // A link's address is already hidden; the link's words may be ordinary.
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

/// Two letters or digits. A single one would be hidden all over a text.
pub(crate) fn is_enough(text: &str) -> bool {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .nth(1)
        .is_some()
}

/// Adds what phrases hide beyond known finds. The longest comes first, then the rest of others.
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
                let ranges = whole_words(text, &words, budget)?;
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

fn whole_words(text: &str, words: &str, budget: &Budget) -> Result<Vec<Range>> {
    budget.spend(text.len() + words.len())?;
    let (first, last) = (words.chars().next(), words.chars().next_back());
    let is_whole_word = |range: &Range| {
        let before = text[..range.start].chars().next_back();
        let after = text[range.end..].chars().next();
        !is_one_word(before, first) && !is_one_word(last, after)
    };
    let ranges = text.match_indices(words);
    let ranges = ranges.map(|(at, found)| at..at + found.len());
    Ok(ranges.filter(is_whole_word).collect())
}

fn is_one_word(one: Option<char>, next: Option<char>) -> bool {
    let (Some(one), Some(next)) = (one, next) else {
        return false;
    };
    let is_spaced = |c: char| c.is_alphanumeric() && !is_unspaced(c);
    is_combining_mark(next) || (is_spaced(one) && is_spaced(next))
}

/// Parts beside a known range begin and end with a letter or a digit.
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
    use crate::{redact::with_tokens, testing::cases};

    fn found(text: &str, known: Vec<Hidden>, phrases: &[Phrase<'_>]) -> Vec<Hidden> {
        let mut found = known;
        add_phrases(&mut found, text, phrases, &Budget::unlimited()).unwrap();
        found
    }

    /// Known finds, `{e:ada@x.example}`, the phrases, and the result.
    #[test]
    fn phrases_are_hidden_as_whole_words() {
        let kind = |letter: &str| Kind::ALL["cepunaih".find(letter).unwrap()];
        for case in cases(include_str!("tests/phrases.txt")) {
            let [text, phrases, expect] = *case.split(" | ").collect::<Vec<_>>() else {
                panic!("{case}")
            };
            let labels = |text: &str| -> Vec<(String, Kind)> {
                let labels = text.split(['{', '}']).skip(1).step_by(2);
                let labels = labels.map(|label| label.split_once(':').unwrap());
                labels
                    .map(|(letter, part)| (part.to_owned(), kind(letter)))
                    .collect()
            };
            let (known, phrases) = (labels(text), labels(phrases));
            let pieces = text.split(['{', '}']).enumerate();
            let shown = pieces.map(|(number, piece)| &piece[if number % 2 == 1 { 2 } else { 0 }..]);
            let shown: String = shown.collect();
            let known = known.iter().map(|(part, kind)| {
                let at = shown.find(part).unwrap();
                Hidden {
                    range: at..at + part.len(),
                    kind: *kind,
                }
            });
            let phrases = phrases
                .iter()
                .map(|(text, kind)| Phrase { text, kind: *kind });
            let found = found(&shown, known.collect(), &phrases.collect::<Vec<_>>());
            assert_eq!(with_tokens(&shown, found), expect, "{case}");
        }
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
