//! The examples: labelled postings in the format of `eval/README.md`, and the cases of the tests.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    Posting, Range,
    document::SEPARATOR,
    redact::tests::{BY_RULES, Case, LEARNED},
    testing,
};

#[derive(Clone, Default)]
pub(super) struct Example {
    country: String,
    name: String,
    website: String,
    city: String,
    title: String,
    pub(super) text: String,
    /// The letter of a label, and its range.
    pub(super) labels: Vec<(char, Range)>,
}

impl Example {
    pub(super) fn posting(&self) -> Posting<'_> {
        Posting {
            title: &self.title,
            description: &self.text,
            country: Some(&self.country),
            city: Some(&*self.city).filter(|city| !city.is_empty()),
            company_name: &self.name,
            company_website: &self.website,
            other_names: &[],
            region: None,
            base_url: None,
            hide: &[],
        }
    }

    fn add(&mut self, line: &str) {
        let mut rest = line.strip_prefix("- ").unwrap_or(line);
        while let Some((before, after)) = rest.split_once('{') {
            let (label, after) = after.split_once('}').expect(line);
            let (kind, text) = label.split_once(':').expect(line);
            self.text.push_str(before);
            let start = self.text.len();
            self.text.push_str(text);
            let kind = kind.chars().next().expect(line);
            self.labels.push((kind, start..self.text.len()));
            rest = after;
        }
        self.text.push_str(rest);
        self.text.push_str(SEPARATOR);
    }
}

/// The labelled postings that are not set apart, and the cases of the tests.
pub(super) fn all() -> Vec<Example> {
    let eval = Path::new(env!("CARGO_MANIFEST_DIR")).join("eval");
    let folders = ["excerpts", "postings", "sentences"]
        .map(|folder| fs::read_dir(eval.join(folder)).unwrap());
    let entries = folders.into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    paths.sort();
    let text = |path: &PathBuf| fs::read_to_string(path).unwrap();
    let files: Vec<String> = paths.iter().map(text).collect();
    let postings = files.iter().flat_map(|file| examples(file));
    postings.chain(cases()).collect()
}

/// The cases of the tests, each an example, whichever file they are in.
fn cases() -> impl Iterator<Item = Example> {
    let files = BY_RULES.into_iter().chain([LEARNED]);
    let all = files.flat_map(testing::cases);
    let mut all: Vec<String> = all.filter(|case| !case.contains(" => ")).collect();
    all.sort_unstable();
    all.into_iter().map(|line| {
        let case = Case::of(&line);
        let mut example = case.with_posting(|posting| Example {
            country: posting.country.unwrap_or_default().to_owned(),
            city: posting.city.unwrap_or_default().to_owned(),
            name: posting.company_name.to_owned(),
            website: posting.company_website.to_owned(),
            ..Example::default()
        });
        example.add(&case.text);
        example
    })
}

/// Reads the format of `eval/README.md`.
fn examples(text: &str) -> Vec<Example> {
    let mut out: Vec<Example> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(head) = line.strip_prefix("=== ") {
            let mut parts = head.split('|').map(|part| part.trim().to_owned());
            let mut part = || parts.next().unwrap_or_default();
            let language = part();
            out.push(Example {
                country: language
                    .split(' ')
                    .next_back()
                    .unwrap_or_default()
                    .to_owned(),
                name: part(),
                website: part(),
                city: part(),
                ..Example::default()
            });
        } else if let Some(last) = out.last_mut() {
            match line.strip_prefix("# ") {
                Some(title) => {
                    let mut of_title = Example::default();
                    of_title.add(title);
                    last.title = of_title.text.trim_end_matches(SEPARATOR).to_owned();
                }
                None => last.add(line),
            }
        }
    }
    out
}
