//! The effects of an import on content: lost values, shrunken texts, and repeated values.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::Receipt;

/// A line counts as repeated if this many other lines have the same value.
const OTHERS: u64 = 10;

/// An entry degrades an import if it exceeds both this number of postings and [`PERCENT`] of the
/// lines.
const POSTINGS: u64 = 20;
const PERCENT: u64 = 30;

/// The number of distinct values that are counted at a time. With more values, those with a
/// share of the lines below 1 / `VALUES` may be missed.
const VALUES: usize = 4_096;

/// The effects of an import on content. New postings count only for repeated values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The postings that lost the value of a field, by field.
    pub lost: BTreeMap<String, u64>,
    /// Postings whose description fell below a third of its length.
    pub shrunk: u64,
    /// Lines that set the same description as at least ten others.
    pub same_text: u64,
    /// Lines that set the same title as at least ten others.
    pub same_title: u64,
    /// Lines that set the same application link as at least ten others.
    pub same_url: u64,
}

impl Changes {
    /// The names of entries above the threshold.
    pub fn degraded(&self, lines: u64) -> Vec<String> {
        let lost = (self.lost.iter()).map(|(field, count)| (format!("lost:{field}"), *count));
        let others = [
            ("shrunk", self.shrunk),
            ("same_text", self.same_text),
            ("same_title", self.same_title),
            ("same_url", self.same_url),
        ];
        let others = others.map(|(name, count)| (name.to_owned(), count));
        let is_above = |count: u64| count > POSTINGS && count * 100 > lines.saturating_mul(PERCENT);
        let above = lost.chain(others).filter(|(_, count)| is_above(*count));
        above.map(|(name, _)| name).collect()
    }

    /// An entry in words, to follow the number: `of 100 lost salary_min`.
    pub fn words(&self, entry: &str, lines: u64) -> String {
        let (count, what) = match entry {
            "shrunk" => (self.shrunk, "have less than a third of their text"),
            "same_text" => (self.same_text, "have the same text"),
            "same_title" => (self.same_title, "have the same title"),
            "same_url" => (self.same_url, "have the same application link"),
            lost => {
                let field = lost.trim_start_matches("lost:");
                let count = self.lost.get(field).copied().unwrap_or_default();
                return format!("{count} of {lines} lost {field}");
            }
        };
        format!("{count} of {lines} {what}")
    }
}

/// Counts the changes of an import by its receipts.
#[derive(Debug, Default)]
pub struct ChangeCounter {
    lost: BTreeMap<&'static str, u64>,
    shrunk: u64,
    set: [Frequencies; 3],
}

impl ChangeCounter {
    /// Counts a receipt.
    pub fn add(&mut self, receipt: &Receipt) {
        let Ok(Some(effects)) = receipt.result.as_ref().map(|answer| answer.effects) else {
            return;
        };
        for field in effects.lost() {
            *self.lost.entry(field).or_default() += 1;
        }
        self.shrunk += u64::from(effects.is_shrunk);
        for (counts, value) in self.set.iter_mut().zip(effects.set) {
            if let Some(value) = value {
                counts.add(value);
            }
        }
    }

    /// The changes so far.
    pub fn changes(&self) -> Changes {
        let [same_text, same_title, same_url] = self.set.each_ref().map(Frequencies::repeated);
        let lost = self.lost.iter();
        Changes {
            lost: lost
                .map(|(field, count)| ((*field).to_owned(), *count))
                .collect(),
            shrunk: self.shrunk,
            same_text,
            same_title,
            same_url,
        }
    }
}

/// The frequencies of the most common values in bounded memory (Misra-Gries).
#[derive(Debug, Default)]
struct Frequencies(HashMap<u64, u64>);

impl Frequencies {
    fn add(&mut self, value: u64) {
        if let Some(count) = self.0.get_mut(&value) {
            *count += 1;
        } else if self.0.len() < VALUES {
            self.0.insert(value, 1);
        } else {
            // The new value is dropped, and every counted value loses one occurrence.
            self.0.retain(|_, count| {
                *count -= 1;
                *count > 0
            });
        }
    }

    fn repeated(&self) -> u64 {
        self.0.values().filter(|count| **count > OTHERS).sum()
    }
}

#[cfg(test)]
mod tests {
    use kernel::PutOutcome;

    use super::*;
    use crate::{
        posting::{Answer, Details, Effects},
        testing::answered,
    };

    fn details(text: &str, title: &str, pay: Option<i64>) -> Details {
        Details {
            raw_description: text.into(),
            title: title.to_owned(),
            salary_min: pay,
            application_url: Some(format!("https://a.example/{title}")),
            ..Details::default()
        }
    }

    fn changes(lines: &[(Option<Details>, Details)]) -> Changes {
        let mut counter = ChangeCounter::default();
        for (before, after) in lines {
            let answer = Answer {
                effects: Some(Effects::of(before.as_ref(), after)),
                ..answered("a", PutOutcome::Updated)
            };
            counter.add(&Receipt {
                line: 1,
                id: None,
                result: Ok(answer),
            });
        }
        counter.changes()
    }

    #[test]
    fn what_was_there_and_is_gone_or_the_same_everywhere_is_counted() {
        let long = "A long description of the work.";
        let lines = |count: usize| {
            let line = |n: usize| {
                let before = details(&format!("{long}{n}"), &format!("t{n}"), Some(1));
                (Some(before), details("Just a", &format!("t{n}"), None))
            };
            (0..count).map(line).collect::<Vec<_>>()
        };
        let found = changes(&lines(11));
        let expect = Changes {
            lost: [("salary_min".to_owned(), 11)].into(),
            shrunk: 11,
            same_text: 11,
            ..Changes::default()
        };
        assert_eq!(found, expect);
        assert_eq!(changes(&lines(10)).same_text, 0);
        let same = details(long, "t", None);
        let new = vec![(None, same.clone()); 11];
        assert_eq!((changes(&new).same_title, changes(&new).same_url), (11, 11));
        let kept = vec![(Some(details(long, "t", Some(1))), same); 11];
        let kept = changes(&kept);
        assert_eq!(
            (kept.lost["salary_min"], kept.same_text + kept.same_title),
            (11, 0)
        );
    }

    #[test]
    fn an_entry_above_twenty_postings_and_thirty_percent_degrades_an_import() {
        let changes = Changes {
            lost: [("salary_min".to_owned(), 31)].into(),
            shrunk: 21,
            same_text: 20,
            ..Changes::default()
        };
        for (lines, expect) in [
            (60, &["lost:salary_min", "shrunk"][..]),
            (100, &["lost:salary_min"]),
            (104, &[]),
        ] {
            assert_eq!(changes.degraded(lines), expect, "{lines}");
        }
        assert_eq!(
            changes.words("lost:salary_min", 100),
            "31 of 100 lost salary_min"
        );
    }

    #[test]
    fn the_most_frequent_values_are_found_in_bounded_memory() {
        let mut counts = Frequencies::default();
        for n in 0..100_000 {
            counts.add(n);
            counts.add(u64::MAX);
            assert!(counts.0.len() <= VALUES);
        }
        assert!(counts.repeated() > 99_900);
    }
}
