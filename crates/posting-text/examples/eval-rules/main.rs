//! Measures redaction on a labelled set: `cargo run -p posting-text --example eval-rules --
//! FOLDER`, or a file with postings as lines of JSON.
//!
//! Prints the hidden share of each kind's labels by language, the wrong redactions, and the number
//! of refusals found. `--misses` prints each mistake. `--generate SEED` composes postings.
#![expect(
    clippy::print_stdout,
    reason = "the figures are what the program is for"
)]

mod generate;
mod json;
mod score;
mod set;

use std::{collections::BTreeMap, error::Error, path::Path};

use posting_text::{Budget, prepare};

use self::score::Score;

fn main() -> Result<(), Box<dyn Error>> {
    let mut folders = Vec::new();
    let mut misses = false;
    let mut seed = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--misses" => misses = true,
            "--generate" => seed = Some(arguments.next().unwrap_or_default().parse()?),
            folder => folders.push(folder.to_owned()),
        }
    }
    let mut samples = Vec::new();
    for folder in &folders {
        if let Some(seed) = seed {
            samples.extend(generate::generate(Path::new(folder), seed, ROUNDS)?);
        } else {
            let path = Path::new(folder);
            let read = if path.is_file() {
                json::read(path)?
            } else {
                set::read(path)?
            };
            samples.extend(read.into_iter().map(|sample| (String::new(), sample)));
        }
    }
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let mut shapes: BTreeMap<String, Score> = BTreeMap::new();
    for (shape, sample) in &samples {
        let names: Vec<&str> = sample.other_names.iter().map(String::as_str).collect();
        let posting = score::posting(sample, &names, &[]);
        let refused = prepare(&posting, &Budget::of(&sample.text))?
            .refusal
            .is_some();
        let language = scores.entry(sample.language.clone()).or_default();
        language.count(sample, &posting, refused, misses)?;
        let of_shape = shapes.entry(shape.clone()).or_default();
        of_shape.count(sample, &posting, refused, false)?;
    }
    if seed.is_some() {
        print!("{}", score::table(&shapes));
    }
    print!("{}", score::table(&scores));
    Ok(())
}

const ROUNDS: usize = 3;
