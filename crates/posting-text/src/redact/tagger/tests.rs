//! Learns the weights: `POSTING_TEXT_LEARN=1 cargo test --release -p posting-text tagger`.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a place in a list is small, and a weight is rounded to its bytes"
)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::*;
use crate::{
    Budget, Range,
    document::SEPARATOR,
    redact::{
        Scan,
        cues::Cues,
        scan::Known,
        tests::{BY_RULES, Case, LEARNED},
    },
    testing,
};

const WHOLE: i32 = 1_000_000;

/// A bit for each tag that a token may have.
type Tags = u8;
const NONE: Tags = 1;
const ANY: Tags = (1 << TAGS) - 1;

#[derive(Clone, Default)]
struct Example {
    country: String,
    name: String,
    website: String,
    city: String,
    title: String,
    text: String,
    /// The letter of a label, and its range.
    labels: Vec<(char, Range)>,
}

impl Example {
    fn posting(&self) -> Posting<'_> {
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

/// The labelled postings that are not set apart.
fn files() -> Vec<String> {
    let eval = Path::new(env!("CARGO_MANIFEST_DIR")).join("eval");
    let folders = ["postings", "sentences"].map(|folder| fs::read_dir(eval.join(folder)).unwrap());
    let entries = folders.into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    paths.sort();
    let text = |path: &PathBuf| fs::read_to_string(path).unwrap();
    paths.iter().map(text).collect()
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

/// A token: its features, and the tags that it may have.
struct Step {
    buckets: Vec<usize>,
    allowed: Tags,
    /// In a phrase that a careless program would hide.
    is_trap: bool,
}

impl Step {
    fn may_be(&self, tag: usize) -> bool {
        self.allowed >> tag & 1 == 1
    }
}

/// The runs of a text.
struct Lesson(Vec<Vec<Step>>);

impl Lesson {
    fn of(example: &Example) -> Self {
        let budget = Budget::unlimited();
        let posting = example.posting();
        let scan = Scan::of(&example.text, posting.company_website, &budget).unwrap();
        let Known { words, found, .. } = scan.known(&posting, &budget).unwrap();
        let tokens = tokens(&example.text, &words, &found);
        let features = Features::new(&example.text, &tokens, &words, &found, &posting);
        let is_of = |label: &(char, Range), token: &Token<'_>| {
            label.1.start < token.range.end && token.range.start < label.1.end
        };
        let letter = |token: &Token<'_>| {
            let mut labels = example.labels.iter();
            labels
                .find(|label| is_of(label, token))
                .map(|label| label.0)
        };
        let allowed = |token: &Token<'_>| match letter(token) {
            None | Some('k') => NONE,
            // A postal code belongs to the address beside it, a legal form to the company.
            Some('o') => NONE | tag('c') | tag('a'),
            Some(letter @ ('c' | 'n' | 'a' | 'p' | 'i')) => {
                // A sign at the end of a name, but not within.
                let is_sign = !example.text[token.range.clone()].contains(char::is_alphanumeric);
                let ends = |label: &(char, Range)| {
                    label.1.start == token.range.start || label.1.end == token.range.end
                };
                let mut labels = example.labels.iter().filter(|label| is_of(label, token));
                tag(letter) | Tags::from(is_sign && labels.any(ends))
            }
            Some(_) => ANY,
        };
        let mut allowed: Vec<Tags> = tokens.iter().map(allowed).collect();
        // A form of address before a person may be hidden.
        for at in (1..tokens.len()).rev() {
            let title = &tokens[at - 1];
            let is_title = title.cues.intersects(Cues::TITLE) || title.lower == ".";
            let is_before = allowed[at] & tag('n') > 0 && allowed[at] != ANY;
            if is_before && is_title && allowed[at - 1] & NONE > 0 {
                allowed[at - 1] |= tag('n');
            }
        }
        let buckets = |at: usize| {
            let mut out = Vec::new();
            features.for_each(at, |template, value| out.push(bucket(template, value)));
            out
        };
        let step = |at: usize| Step {
            buckets: buckets(at),
            allowed: allowed[at],
            is_trap: letter(&tokens[at]) == Some('k'),
        };
        let runs = runs(&tokens).into_iter();
        Self(runs.map(|run| run.map(step).collect()).collect())
    }
}

/// Of a letter, in the order of [`KINDS`].
fn tag(letter: char) -> Tags {
    2 << "cnapi".find(letter).unwrap()
}

/// Weights while they are learned: of features and tags, and of pairs of tags.
struct Weights {
    features: Vec<[i32; TAGS]>,
    pairs: [[i32; TAGS]; TAGS],
}

impl Weights {
    fn new() -> Self {
        Self {
            features: vec![[0; TAGS]; 1 << BITS],
            pairs: [[0; TAGS]; TAGS],
        }
    }

    fn best(&self, run: &[Step], cost: impl Fn(&Step, usize) -> i32) -> Vec<usize> {
        let score = |step: &Step| {
            let mut scores: Scores = std::array::from_fn(|tag| cost(step, tag));
            for bucket in &step.buckets {
                for (score, weight) in scores.iter_mut().zip(self.features[*bucket]) {
                    *score += weight;
                }
            }
            scores
        };
        best(&run.iter().map(score).collect::<Vec<_>>(), &self.pairs)
    }

    fn add(&mut self, run: &[Step], tags: &[usize], others: &[usize], by: i32) {
        let mut before = (0, 0);
        for (step, (tag, other)) in run.iter().zip(tags.iter().zip(others)) {
            if tag != other {
                for bucket in &step.buckets {
                    self.features[*bucket][*tag] += by;
                }
            }
            if (*tag, before.0) != (*other, before.1) {
                self.pairs[before.0][*tag] += by;
            }
            before = (*tag, *other);
        }
        if before.0 != before.1 {
            self.pairs[before.0][0] += by;
        }
    }
}

/// Learns a structured perceptron with margins, whose weights are averaged over all steps.
fn learned(lessons: &[Lesson]) -> Vec<u8> {
    const ROUNDS: usize = 30;
    /// The cost of a wrong kind; of one within a trap; and of a missed one.
    const COST: i32 = 30;
    const TRAP: i32 = 60;
    const MISSED: i32 = 1;
    /// A mean weight of one, as it is stored.
    const ONE: f64 = 3.0;
    let mut weights = Weights::new();
    let mut sums = Weights::new();
    let mut order: Vec<usize> = (0..lessons.len()).collect();
    let mut seed = 1;
    let mut step = 0;
    for _ in 0..ROUNDS {
        for at in (1..order.len()).rev() {
            seed = mixed(seed);
            order.swap(at, seed as usize % (at + 1));
        }
        for number in &order {
            step += 1;
            for run in &lessons[*number].0 {
                let right =
                    weights.best(run, |step, tag| if step.may_be(tag) { 0 } else { -WHOLE });
                let tags = weights.best(run, |step, tag| match () {
                    () if step.may_be(tag) => 0,
                    () if step.is_trap => TRAP,
                    () if step.allowed == NONE => COST,
                    () => MISSED,
                });
                for (all, by) in [(&mut weights, 1), (&mut sums, step)] {
                    all.add(run, &right, &tags, by);
                    all.add(run, &tags, &right, -by);
                }
            }
        }
    }
    let mean = |weight: i32, sum: i32| f64::from(weight) - f64::from(sum) / f64::from(step);
    let byte = |mean: f64| (mean * ONE).round().clamp(-127.0, 127.0) as i8;
    let mut out = Vec::with_capacity(LENGTH);
    for (weights, sums) in weights.features.iter().zip(&sums.features) {
        let means: [f64; TAGS] = std::array::from_fn(|tag| mean(weights[tag], sums[tag]));
        out.extend((1..TAGS).map(|tag| byte(means[tag] - means[0]).cast_unsigned()));
    }
    for (weights, sums) in weights.pairs.iter().zip(&sums.pairs) {
        out.extend(
            (0..TAGS).flat_map(|tag| {
                ((mean(weights[tag], sums[tag]) * ONE).round() as i16).to_le_bytes()
            }),
        );
    }
    out
}

/// Of all that the weights are learned from; it follows the weights.
fn digest(texts: &[Example]) -> [u8; 8] {
    let texts = texts.iter().flat_map(|it| it.text.bytes());
    texts
        .fold(0, |so_far, byte| mixed(so_far ^ u64::from(byte)))
        .to_le_bytes()
}

#[test]
fn the_weights_are_learned_from_the_examples() {
    let examples: Vec<Example> = files()
        .iter()
        .flat_map(|file| examples(file))
        .chain(cases())
        .collect();
    let digest = digest(&examples);
    if std::env::var_os("POSTING_TEXT_LEARN").is_some() {
        let lessons: Vec<Lesson> = examples.iter().map(Lesson::of).collect();
        let weights = [learned(&lessons), digest.to_vec()].concat();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/redact/tagger/weights.bin");
        fs::write(path, weights).unwrap();
    } else {
        assert!(
            WEIGHTS.ends_with(&digest),
            "the examples teach other weights: run this test with POSTING_TEXT_LEARN=1 --release"
        );
    }
}
