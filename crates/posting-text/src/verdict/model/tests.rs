//! Learns the weights: a support vector machine for pages, and one for each kind of page.
//!
//! The algorithm is dual coordinate descent (Hsieh et al., "A Dual Coordinate Descent Method for
//! Large-scale Linear SVM", 2008). It adds, multiplies, divides and takes roots in a fixed order,
//! so every machine finds the same weights.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a test with a few thousand texts"
)]

use std::{fs, path::PathBuf};

use regex::Regex;

use super::*;
use crate::{Budget, Posting, markdown, testing::shuffle, verdict::by_title};

const ROUNDS: usize = 30;
/// The penalty of an error: a larger one fits the examples more closely.
const PENALTY: f64 = 2.0;

struct Example {
    /// `None` is an ad.
    kind: Option<Refusal>,
    features: Features,
}

fn example(kind: Option<Refusal>, description: &str) -> Example {
    let budget = Budget::of(description);
    let document = markdown::read(description, None, &budget).expect("it is short");
    let features = Features::of(&document.text());
    Example { kind, features }
}

/// Reads the descriptions below the headings of the kinds. Other refusals are skipped, and those
/// for the title.
fn examples(texts: &str, has_titles: bool) -> Vec<Example> {
    let mut heading = "";
    let mut found = Vec::new();
    for line in texts.lines() {
        if let Some(it) = line.strip_prefix('[') {
            heading = it.trim_end_matches(']');
        } else if !line.is_empty() && !line.starts_with('#') {
            let kind = KINDS.into_iter().find(|it| format!("{it:?}") == heading);
            let titled = line.split_once(" | ").filter(|_| has_titles);
            let (title, description) = titled.unwrap_or(("", line));
            let posting = Posting {
                title,
                company_name: "Brightvik SAS",
                ..Posting::default()
            };
            let is_by_title = by_title(&posting).is_some();
            if !is_by_title && (kind.is_some() || heading == "None") {
                found.push(example(kind, description));
            }
        }
    }
    found
}

/// Reads what the labelled sentences say about their companies, each line alone and all together.
/// It says little about jobs, but is no page.
fn labelled() -> Vec<Example> {
    let label = Regex::new(r"\{.:([^}]*)\}").expect("a valid pattern");
    let number = Regex::new(r"^\d+[.)] ").expect("a valid pattern");
    let folder = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/eval/sentences"));
    let entries = folder.expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).expect("a text");
        // Those of no company are contacts, and traps of redaction.
        let of_companies = text.split("=== ").filter(|it| !it.contains(" |  |  |\n"));
        for company in of_companies.skip(1) {
            let lines = company.lines().skip(1).filter(|it| !it.is_empty());
            let lines: Vec<_> = lines.map(|it| label.replace_all(it, "$1")).collect();
            // The text of a list has no numbers, but that of an item alone has one.
            let alone = lines.iter().map(|line| number.replace(line, ""));
            found.extend(alone.map(|line| example(None, &line)));
            found.push(example(None, &lines.join("\n")));
        }
    }
    found
}

/// Returns the weights of texts, some of which are pages.
fn learn(texts: &[(Features, bool)], size: usize) -> Vec<u8> {
    // The fewer pages count as much as the more ads.
    let pages = texts.iter().filter(|(_, is_page)| *is_page).count();
    let half = texts.len() as f64 / 2.0;
    let penalties = [
        PENALTY * half / (texts.len() - pages) as f64,
        PENALTY * half / pages as f64,
    ];
    let (mut weights, mut alphas) = (vec![0.0; size + 1], vec![0.0_f64; texts.len()]);
    let mut order: Vec<_> = (0..texts.len()).collect();
    let mut random = 0;
    for _ in 0..ROUNDS {
        shuffle(&mut order, &mut random);
        for &at in &order {
            let (Features(features), is_page) = &texts[at];
            let sign = if *is_page { 1.0 } else { -1.0 };
            let slack = 0.5 / penalties[usize::from(*is_page)];
            let unit = 1.0 / texts[at].0.count().sqrt();
            let sum: f64 = features.iter().map(|it| weights[*it]).sum();
            let margin = sign * (sum * unit + weights[size]);
            // The features of a text have the length one, and the common feature adds one.
            let step = (1.0 - margin - slack * alphas[at]) / (2.0 + slack);
            let alpha = (alphas[at] + step).max(0.0);
            let change = sign * (alpha - alphas[at]);
            alphas[at] = alpha;
            for feature in features {
                weights[*feature] += change * unit;
            }
            weights[size] += change;
        }
    }
    let stored = |weight: f64| ((weight * ONE).round().clamp(-127.0, 127.0) as i8).cast_unsigned();
    weights.into_iter().map(stored).collect()
}

#[test]
fn the_weights_are_those_of_the_examples() {
    let mut all = examples(include_str!("../../../eval/pages/examples.txt"), false);
    all.extend(examples(include_str!("../../../tests/refusals.txt"), true));
    all.extend(labelled());
    let pages = all.iter().filter(|it| it.kind.is_some());
    let kinds = KINDS.map(|kind| {
        let text = |it: &Example| (it.features.coarse(), it.kind == Some(kind));
        learn(&pages.clone().map(text).collect::<Vec<_>>(), KIND_WEIGHTS)
    });
    let texts: Vec<_> = all
        .into_iter()
        .map(|it| (it.features, it.kind.is_some()))
        .collect();
    let mut found = learn(&texts, PAGE_WEIGHTS);
    found.extend(kinds.into_iter().flatten());
    if std::env::var_os("POSTING_TEXT_LEARN").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/verdict/model/weights.bin");
        fs::write(file, &found).expect("the sources can be written");
    } else {
        assert!(
            found == WEIGHTS,
            "the examples teach other weights: run this test with POSTING_TEXT_LEARN=1"
        );
    }
}
