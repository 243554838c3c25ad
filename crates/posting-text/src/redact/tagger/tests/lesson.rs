//! What the model learns from an example: the features of tokens, and the tags that they may have.

use super::{super::*, examples::Example};
use crate::{
    Budget, Range,
    redact::{Scan, cues::Cues},
};

/// A bit for each tag that a token may have.
type Tags = u8;
pub(super) const NONE: Tags = 1;
const ANY: Tags = (1 << TAGS) - 1;

/// A token: its features, and the tags that it may have.
pub(super) struct Step {
    pub(super) buckets: Vec<usize>,
    pub(super) allowed: Tags,
    /// In a phrase that a careless program would hide.
    pub(super) is_trap: bool,
}

impl Step {
    pub(super) fn may_be(&self, tag: usize) -> bool {
        self.allowed >> tag & 1 == 1
    }
}

/// The runs of a text.
pub(super) struct Lesson(pub(super) Vec<Vec<Step>>);

impl Lesson {
    pub(super) fn of(example: &Example) -> Self {
        let budget = Budget::unlimited();
        let posting = example.posting();
        let scan = Scan::of(&example.text, posting.company_website, &budget).unwrap();
        let (words, found, _) = scan.known(&posting, &budget).unwrap();
        let tokens = tokens(&example.text, &words, &found);
        let features = Features::new(&tokens, &words, &posting);
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
