//! Holds what the rules reach on the labelled postings of `eval`, set by set.
#![expect(
    clippy::print_stdout,
    reason = "tests, whose sets are there, and which say what failed"
)]

#[path = "../examples/eval/score.rs"]
mod score;
#[path = "../examples/eval/set.rs"]
mod set;

use std::{collections::BTreeMap, path::Path};

use posting_text::redact::Kind;

use self::score::Score;

/// A set, the labels of companies that may be missed, the other labels that may be, the redactions
/// that may be wrong, and the words outside labels that may be lost.
const SETS: &[(&str, u32, u32, u32, u32)] = &[
    ("tuned", 1, 0, 2, 2),
    ("held-out", 2, 0, 0, 0),
    ("unseen", 1, 2, 5, 7),
    ("last", 1, 0, 0, 0),
    ("employers", 2, 0, 2, 2),
    ("trades", 0, 1, 0, 0),
    ("brands", 3, 1, 0, 1),
    ("workshops", 0, 1, 0, 0),
];

#[test]
fn mended_figures_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("eval");
    for (name, companies, others, wrong, lost) in SETS {
        let mut score = Score::default();
        for sample in set::read(&folder.join(name)).unwrap() {
            let names: Vec<&str> = sample.other_names.iter().map(String::as_str).collect();
            let posting = score::posting(&sample, &names, &[]);
            score.count(&sample, &posting, false, true).unwrap();
        }
        score::print(&BTreeMap::from([((*name).to_owned(), score.clone())]));
        let missed = |kind: Kind| score.missed(kind);
        assert!(missed(Kind::Company) <= *companies, "{name}: names missed");
        let rest = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Company);
        assert!(
            rest.map(missed).sum::<u32>() <= *others,
            "{name}: others missed"
        );
        assert!(score.wrong() <= *wrong, "{name}: wrongly hidden");
        assert!(score.lost_words() <= *lost, "{name}: words lost");
    }
}
