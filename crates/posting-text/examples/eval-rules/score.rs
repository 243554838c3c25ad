use std::{collections::BTreeMap, error::Error, ops::Range};

use posting_text::{
    Budget, Posting,
    redact::{self, Kind, Phrase},
};

use crate::set::{Label, Sample};

#[derive(Clone, Copy, Default)]
pub struct OfKind {
    labels: u32,
    hidden: u32,
    finds: u32,
    right: u32,
}

#[derive(Clone, Default)]
pub struct Score {
    kinds: BTreeMap<Kind, OfKind>,
    postings: u32,
    words: u32,
    lost_words: u32,
    phrases: u32,
    lost_phrases: u32,
    refused: u32,
    to_refuse: u32,
    refused_wrongly: u32,
}

/// Returns the posting of a sample, with these phrases to hide.
pub fn posting<'a>(
    sample: &'a Sample,
    names: &'a [&'a str],
    hide: &'a [Phrase<'a>],
) -> Posting<'a> {
    Posting {
        title: &sample.title,
        description: &sample.text,
        country: Some(&sample.country),
        city: Some(&sample.city)
            .filter(|city| !city.is_empty())
            .map(String::as_str),
        company_name: &sample.name,
        other_names: names,
        company_website: &sample.website,
        region: None,
        base_url: None,
        hide,
    }
}

impl Score {
    /// Counts a sample by its refusal and its redacted text. `misses` prints each mistake.
    pub fn count(
        &mut self,
        sample: &Sample,
        posting: &Posting<'_>,
        is_refused: bool,
        misses: bool,
    ) -> Result<(), Box<dyn Error>> {
        if sample.is_rejected {
            self.to_refuse += 1;
            self.refused += u32::from(is_refused);
            return Ok(());
        }
        self.refused_wrongly += u32::from(is_refused);
        self.postings += u32::from(!sample.is_title);
        let budget = Budget::of(&sample.text);
        let found = if sample.is_title {
            redact::find_in_line(&sample.text, posting, &budget)?
        } else {
            redact::find(&sample.text, posting, &budget)?
        };
        let hidden = |at: usize| found.iter().any(|hidden| hidden.range.contains(&at));
        let letters = |range: Range<usize>| {
            sample.text[range.clone()]
                .char_indices()
                .filter(|(_, c)| c.is_alphanumeric())
                .map(move |(at, _)| range.start + at)
        };
        for Label { kind, range } in &sample.labels {
            let Some(kind) = kind else { continue };
            let is_hidden = letters(range.clone()).all(hidden);
            let score = self.kinds.entry(*kind).or_default();
            score.labels += 1;
            score.hidden += u32::from(is_hidden);
            if misses && !is_hidden {
                say("missed", sample, range, kind.name());
            }
        }
        for hidden in &found {
            let touches = |label: &Label| {
                label.range.start < hidden.range.end && hidden.range.start < label.range.end
            };
            let is_right = sample.labels.iter().any(touches);
            let score = self.kinds.entry(hidden.kind).or_default();
            score.finds += 1;
            score.right += u32::from(is_right);
            if misses && !is_right {
                say("WRONG", sample, &hidden.range, hidden.kind.name());
            }
        }
        for range in &sample.keep {
            let is_lost = letters(range.clone()).any(hidden);
            self.phrases += 1;
            self.lost_phrases += u32::from(is_lost);
            if misses && is_lost {
                say("lost", sample, range, "phrase");
            }
        }
        for word in sample.text.split_whitespace() {
            let start = word.as_ptr() as usize - sample.text.as_ptr() as usize;
            let outside = !sample
                .labels
                .iter()
                .any(|label| label.range.start < start + word.len() && start < label.range.end);
            if outside && word.contains(char::is_alphanumeric) {
                self.words += 1;
                let is_lost = letters(start..start + word.len()).any(hidden);
                self.lost_words += u32::from(is_lost);
                if misses && is_lost {
                    say("lost", sample, &(start..start + word.len()), "word");
                }
            }
        }
        Ok(())
    }

    pub fn missed(&self, kind: Kind) -> u32 {
        let of = self.kinds.get(&kind).copied().unwrap_or_default();
        of.labels - of.hidden
    }

    /// Redactions that touch no label.
    pub fn wrong(&self) -> u32 {
        self.kinds.values().map(|of| of.finds - of.right).sum()
    }

    /// Phrases that must stay, and do not.
    pub fn lost_phrases(&self) -> u32 {
        self.lost_phrases
    }

    /// Hidden words outside of labels.
    pub fn lost_words(&self) -> u32 {
        self.lost_words
    }

    fn add(&mut self, other: &Self) {
        for (kind, of) in &other.kinds {
            let sum = self.kinds.entry(*kind).or_default();
            sum.labels += of.labels;
            sum.hidden += of.hidden;
            sum.finds += of.finds;
            sum.right += of.right;
        }
        self.postings += other.postings;
        self.words += other.words;
        self.lost_words += other.lost_words;
        self.phrases += other.phrases;
        self.lost_phrases += other.lost_phrases;
        self.refused += other.refused;
        self.to_refuse += other.to_refuse;
        self.refused_wrongly += other.refused_wrongly;
    }

    /// Returns hidden labels by kind, wrong redactions per posting, and kept phrases and words.
    pub fn figures(&self) -> Vec<(&'static str, String)> {
        let part = |kind| self.kinds.get(&kind).copied().unwrap_or_default();
        let kinds = Kind::ALL.into_iter();
        let hidden = |kind| share(part(kind).labels - self.missed(kind), part(kind).labels);
        let kinds = kinds.map(|kind| (kind.name(), hidden(kind)));
        let wrong = f64::from(self.wrong()) / f64::from(self.postings.max(1));
        let kept = |all: u32, lost| match all {
            0 => "-".to_owned(),
            _ => format!(
                "{:.2}/{all}",
                100.0 * f64::from(all - lost) / f64::from(all)
            ),
        };
        kinds
            .chain([
                ("refused", share(self.refused, self.to_refuse)),
                ("wrong", format!("{wrong:.3}")),
                ("phrases", kept(self.phrases, self.lost_phrases())),
                ("words", kept(self.words, self.lost_words())),
            ])
            .collect()
    }
}

pub fn sum(scores: &BTreeMap<String, Score>) -> Score {
    let mut total = Score::default();
    for score in scores.values() {
        total.add(score);
    }
    total
}

pub fn table(scores: &BTreeMap<String, Score>) -> String {
    let row = |name: &str, cells: Vec<String>| {
        let cells = cells.into_iter().map(|cell| format!("{cell:>12}"));
        format!("{name:<18}{}\n", cells.collect::<String>())
    };
    let total = sum(scores);
    let names = total.figures().into_iter().map(|(name, _)| name.to_owned());
    let mut out = row("hidden", names.collect());
    let all = scores.iter().map(|(name, score)| (name.as_str(), score));
    for (name, score) in all.chain([("all", &total)]) {
        let figures = score.figures().into_iter().map(|(_, figure)| figure);
        out += &row(name, figures.collect());
    }
    let precision = |kind| {
        total
            .kinds
            .get(&kind)
            .map_or(share(0, 0), |of| share(of.right, of.finds))
    };
    let refused = share(total.refused, total.refused + total.refused_wrongly);
    let precision = Kind::ALL.into_iter().map(precision).chain([refused]);
    out + &row("precision", precision.collect())
}

fn share(part: u32, all: u32) -> String {
    match all {
        0 => "-".to_owned(),
        _ => format!("{:.1}/{all}", 100.0 * f64::from(part) / f64::from(all)),
    }
}

fn say(what: &str, sample: &Sample, range: &Range<usize>, of: &str) {
    let text = &sample.text;
    let start = text[..range.start].rfind('\n').map_or(0, |line| line + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let (language, part) = (&sample.language, &text[range.clone()]);
    let name = &sample.name;
    println!("{language} {what} {of} ({name}): {part}: {line}");
}
