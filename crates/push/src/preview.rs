//! Previews of a dry run: the verdict of the rules, remarks, and notices by field.

use std::collections::BTreeMap;

use fields::validation::field_of;
use serde::Serialize;

use crate::answer::Receipt;

/// Lines with the same verdict, a remark of the same code, or a notice about the same field.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// `approved`, `rejected`, `remark`, or the code of a notice.
    pub kind: String,
    /// The code of a verdict or remark, or the field of a notice.
    pub code: String,
    pub count: u64,
    /// The identifier of the first such line. `sentence` comes from the same line.
    pub id: String,
    pub sentence: String,
}

/// Counts verdicts, remarks and notices, in this order.
pub fn findings(receipts: &[Receipt]) -> Vec<Finding> {
    let mut found = BTreeMap::<(String, String), Finding>::new();
    for receipt in receipts {
        let verdict = receipt.preview.iter().flat_map(|it| &it.verdict);
        let verdict = verdict.map(|it| (it.outcome.as_str(), it.code.clone(), &it.sentence));
        let remarks = receipt.preview.iter().flat_map(|it| &it.remarks);
        let remarks = remarks.map(|it| ("remark", it.code.clone(), &it.sentence));
        let notices = receipt.notices.iter();
        let notices = notices.map(|it| (it.code.as_str(), field_of(&it.field), &it.message));
        for (kind, code, sentence) in verdict.chain(remarks).chain(notices) {
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
    let place = |kind: &str| match kind {
        "approved" | "rejected" => 0,
        "remark" => 1,
        _ => 2,
    };
    found.sort_by_key(|it| (place(&it.kind), std::cmp::Reverse(it.count)));
    found
}
