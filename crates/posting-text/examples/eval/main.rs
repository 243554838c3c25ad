//! Measures redaction on a labelled set: `cargo run -p posting-text --example eval -- FOLDER`.
//!
//! Prints what share of the labels of each kind is hidden, by language, what was hidden wrongly, and
//! how many of the postings to refuse are refused. With `--misses` also each mistake, in its line.
#![expect(
    clippy::print_stdout,
    reason = "the figures are what the program is for"
)]

mod score;
mod set;

use std::{collections::BTreeMap, error::Error, path::Path};

use posting_text::{Budget, prepare};

use self::score::Score;

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
            let names: Vec<&str> = sample.other_names.iter().map(String::as_str).collect();
            let posting = score::posting(&sample, &names, &[]);
            let refused = prepare(&posting, &Budget::of(&sample.text))?
                .refusal
                .is_some();
            let score = scores.entry(sample.language.clone()).or_default();
            score.count(&sample, &posting, refused, misses)?;
        }
    }
    score::print(&scores);
    Ok(())
}
