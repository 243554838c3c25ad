//! Learns the weights: `POSTING_TEXT_LEARN=1 cargo test --release -p posting-text tagger`.

mod crf;
mod examples;
mod lesson;

use std::fs;

use self::{examples::Example, lesson::Lesson};
use super::*;
use crate::min_hash::mixed;

/// Of all that the weights are learned from; it follows the weights.
fn digest(texts: &[Example]) -> [u8; 8] {
    let texts = texts.iter().flat_map(|it| it.text.bytes());
    texts
        .fold(0, |so_far, byte| mixed(so_far ^ u64::from(byte)))
        .to_le_bytes()
}

#[test]
fn the_weights_are_learned_from_the_examples() {
    let examples = examples::all();
    let digest = digest(&examples);
    if std::env::var_os("POSTING_TEXT_LEARN").is_some() {
        let lessons: Vec<Lesson> = examples.iter().map(Lesson::of).collect();
        let weights = [crf::learned(&lessons), digest.to_vec()].concat();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/redact/tagger/weights.z");
        fs::write(
            path,
            miniz_oxide::deflate::compress_to_vec_zlib(&weights, 9),
        )
        .unwrap();
    } else {
        assert!(
            WEIGHTS.ends_with(&digest),
            "the examples teach other weights: run this test with POSTING_TEXT_LEARN=1 --release"
        );
    }
}

#[test]
fn names_are_joined_to_a_company() {
    for (text, company, expect) in [
        (
            "We run Acmera and the hotel Bellavor Bay.",
            "acmera",
            "bellavor bay",
        ),
        (
            "Our brands Corvalle, Acmera & Delquin sell.",
            "acmera",
            "corvalle delquin",
        ),
        (
            "Acmera runs 12 lorries. In Leeds and Hull we load.",
            "acmera",
            "",
        ),
    ] {
        let words = crate::redact::words(text);
        let tokens = tokens(text, &words, &[]);
        let is_company = |token: &Token<'_>| usize::from(token.lower == company);
        let tags: Vec<usize> = tokens.iter().map(is_company).collect();
        let found = joined(&tokens, &tags).into_iter();
        let found: Vec<&str> = found.map(|at| &*tokens[at].lower).collect();
        assert_eq!(found.join(" "), expect, "{text}");
    }
}
