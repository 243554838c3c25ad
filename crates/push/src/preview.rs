//! What a dry run previews of each line: the verdict of the rules, and remarks.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::answer::{Preview, Receipt};

/// Lines with the same verdict, or with a remark of the same code.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// `approved`, `rejected` or `remark`.
    pub kind: String,
    pub code: String,
    pub count: u64,
    /// The identifier and the sentence of the first of them.
    pub id: String,
    pub sentence: String,
}

/// Counts verdicts and remarks; verdicts come first.
pub fn findings(receipts: &[Receipt]) -> Vec<Finding> {
    let mut found = BTreeMap::<(String, String), Finding>::new();
    for receipt in receipts {
        let Some(Preview { verdict, remarks }) = &receipt.preview else {
            continue;
        };
        let verdict = verdict.iter();
        let verdict = verdict.map(|it| (it.outcome.as_str(), &it.code, &it.sentence));
        let remarks = remarks.iter().map(|it| ("remark", &it.code, &it.sentence));
        for (kind, code, sentence) in verdict.chain(remarks) {
            let first = || Finding {
                kind: kind.to_owned(),
                code: code.clone(),
                count: 0,
                id: receipt.id.clone().unwrap_or_default(),
                sentence: sentence.clone(),
            };
            let key = (kind.to_owned(), code.clone());
            found.entry(key).or_insert_with(first).count += 1;
        }
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by_key(|it| (it.kind == "remark", std::cmp::Reverse(it.count)));
    found
}
