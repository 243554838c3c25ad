//! Measures redaction on a labelled set: `cargo run -p posting-text --example eval -- FOLDER`.
//!
//! Prints what share of the labels of each kind is hidden, by language, what was hidden wrongly, and
//! how many of the postings to refuse are refused. With `--misses` also each miss, in its line.
#![expect(
    clippy::print_stdout,
    reason = "the figures are what the program is for"
)]

mod set;

use std::{collections::BTreeMap, error::Error, path::Path};

use posting_text::{
    Budget, Posting, prepare,
    redact::{self, Kind},
};

use self::set::{Label, Sample};

/// Labels and wrong redactions of one language.
#[derive(Default)]
struct Score {
    /// Labels of each kind, and how many of them are hidden.
    kinds: BTreeMap<Kind, (u32, u32)>,
    wrong: u32,
    postings: u32,
    words: u32,
    lost_words: u32,
    refused: u32,
    to_refuse: u32,
    refused_wrongly: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut folders = Vec::new();
    let mut misses = false;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--misses" => misses = true,
            folder => folders.push(folder.to_owned()),
        }
    }
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for folder in &folders {
        for sample in set::read(Path::new(folder))? {
            let score = scores.entry(sample.language.clone()).or_default();
            measure(&sample, score, misses)?;
        }
    }
    print(&scores);
    Ok(())
}

fn posting<'a>(sample: &'a Sample, names: &'a [&'a str]) -> Posting<'a> {
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
        base_url: None,
        hide: &[],
    }
}

fn measure(sample: &Sample, score: &mut Score, misses: bool) -> Result<(), Box<dyn Error>> {
    let names: Vec<&str> = sample.other_names.iter().map(String::as_str).collect();
    let posting = posting(sample, &names);
    let budget = Budget::of(&sample.text);
    let refused = prepare(&posting, &budget)?.refusal.is_some();
    if sample.is_rejected {
        score.to_refuse += 1;
        score.refused += u32::from(refused);
        return Ok(());
    }
    score.refused_wrongly += u32::from(refused);
    score.postings += 1;
    let found = redact::find(&sample.text, &posting, &budget)?;
    let hidden = |at: usize| {
        found
            .iter()
            .any(|hidden| hidden.range.start <= at && at < hidden.range.end)
    };
    let letters = |range: std::ops::Range<usize>| {
        sample.text[range.clone()]
            .char_indices()
            .filter(|(_, c)| c.is_alphanumeric())
            .map(move |(at, _)| range.start + at)
    };
    for Label { kind, range } in &sample.labels {
        let Some(kind) = kind else { continue };
        let (all, good) = score.kinds.entry(*kind).or_default();
        *all += 1;
        let is_hidden = letters(range.clone()).all(hidden);
        *good += u32::from(is_hidden);
        if misses && !is_hidden {
            let name = kind.name();
            println!(
                "{} missed {name}: {}: {}",
                sample.language,
                &sample.text[range.clone()],
                around(sample, range.start)
            );
        }
    }
    for hidden in &found {
        let touches = |label: &Label| {
            label.range.start < hidden.range.end && hidden.range.start < label.range.end
        };
        if !sample.labels.iter().any(touches) {
            score.wrong += 1;
            if misses {
                println!(
                    "{} WRONG {:?}: {}: {}",
                    sample.language,
                    hidden.kind,
                    &sample.text[hidden.range.clone()],
                    around(sample, hidden.range.start)
                );
            }
        }
    }
    // Words outside all labels, and those that are hidden all the same.
    for word in sample.text.split_whitespace() {
        let start = word.as_ptr() as usize - sample.text.as_ptr() as usize;
        let outside = !sample
            .labels
            .iter()
            .any(|label| label.range.start < start + word.len() && start < label.range.end);
        if outside && word.contains(char::is_alphanumeric) {
            score.words += 1;
            score.lost_words += u32::from(letters(start..start + word.len()).any(hidden));
        }
    }
    Ok(())
}

/// The line of a text around a byte.
fn around(sample: &Sample, at: usize) -> &str {
    let start = sample.text[..at].rfind('\n').map_or(0, |line| line + 1);
    let end = sample.text[at..]
        .find('\n')
        .map_or(sample.text.len(), |line| at + line);
    &sample.text[start..end]
}

fn print(scores: &BTreeMap<String, Score>) {
    print!("{:<6}", "");
    for kind in Kind::ALL {
        print!("{:>10}", kind.name());
    }
    println!("{:>8}{:>8}", "wrong", "refused");
    let mut total = Score::default();
    for (language, score) in scores {
        line(language, score);
        for (kind, (all, good)) in &score.kinds {
            let sum = total.kinds.entry(*kind).or_default();
            sum.0 += all;
            sum.1 += good;
        }
        total.wrong += score.wrong;
        total.postings += score.postings;
        total.words += score.words;
        total.lost_words += score.lost_words;
        total.refused += score.refused;
        total.to_refuse += score.to_refuse;
        total.refused_wrongly += score.refused_wrongly;
    }
    line("all", &total);
    println!(
        "{} postings and {} to refuse; {:.3} wrong redactions a posting, {} wrong refusals; {:.3} % of {} words outside labels kept",
        total.postings,
        total.to_refuse,
        f64::from(total.wrong) / f64::from(total.postings.max(1)),
        total.refused_wrongly,
        100.0 - 100.0 * f64::from(total.lost_words) / f64::from(total.words.max(1)),
        total.words,
    );
}

fn line(name: &str, score: &Score) {
    print!("{name:<6}");
    for kind in Kind::ALL {
        match score.kinds.get(&kind) {
            Some((all, good)) => {
                let share = 100.0 * f64::from(*good) / f64::from(*all);
                print!("{:>10}", format!("{share:.1}/{all}"));
            }
            None => print!("{:>10}", "-"),
        }
    }
    println!(
        "{:>8}{:>8}",
        score.wrong,
        format!("{}/{}", score.refused, score.to_refuse)
    );
}
