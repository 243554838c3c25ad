//! What became of an import, for people and for programs.

use std::{collections::BTreeMap, fmt, num::NonZero, time::Duration};

use program::text::{plain, shorten};
use serde::Serialize;

use crate::{
    answer::Missing,
    counts::Counts,
    import::Import,
    reasons::{Reason, reasons},
};

/// Characters of a reason that are printed.
const SHOWN_LENGTH: usize = 66;

/// The summary of an import, as JSON shows it.
#[derive(Debug, Serialize)]
pub struct Summary {
    lines: u64,
    #[serde(flatten)]
    counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Missing>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    notices: BTreeMap<String, u64>,
    /// Lines that were not taken, without a receipt that says why.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipts_omitted: Option<NonZero<u64>>,
    reasons: Vec<Reason>,
    seconds: f64,
}

impl Summary {
    /// The summary of an import that took so long.
    pub fn new(import: &Import, took: Duration) -> Self {
        Self {
            lines: import.counts.total(),
            counts: import.counts,
            missing: import.missing,
            notices: import.notices.clone(),
            receipts_omitted: NonZero::new(import.receipts_omitted),
            reasons: reasons(&import.receipts),
            seconds: (took.as_secs_f64() * 1_000.0).round() / 1_000.0,
        }
    }
}

/// A few lines for people.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in self.counts.named() {
            writeln!(f, "{name:<9} {count:>10}")?;
        }
        let (total, seconds) = (self.lines, self.seconds);
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = total as f64 / seconds.max(0.001);
        write!(f, "{total} lines in {seconds:.1} s, {rate:.0} a second")?;
        for Reason { reason, count } in &self.reasons {
            let reason = shorten(&plain(reason), SHOWN_LENGTH);
            write!(f, "\n{count:>10} × {reason}")?;
        }
        for (code, count) in &self.notices {
            write!(f, "\n{count:>10} × taken, with the notice {}", plain(code))?;
        }
        if let Some(omitted) = self.receipts_omitted {
            write!(
                f,
                "\n{omitted} lines more were not taken. The service says of so many only of the \
                 first why: mend these, and push again."
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_summary_is_for_people_and_for_programs() {
        let receipt = json!({"line": 1, "id": "a", "outcome": "refused", "status": 422,
            "message": "No.", "errors": {"title": ["is required"]}});
        let import = Import {
            counts: Counts {
                created: 2,
                refused: 1,
                ..Counts::default()
            },
            missing: Some(Missing {
                count: 3,
                expired: 0,
                held: true,
            }),
            notices: [("unknown_field".to_owned(), 3)].into(),
            receipts: vec![serde_json::from_value(receipt).unwrap()],
            receipts_omitted: 0,
        };
        let summary = Summary::new(&import, Duration::from_millis(1_500));
        let text = "created            2\nupdated            0\nunchanged          0\n\
                    expired            0\nreopened           0\nrefused            1\n\
                    failed             0\n3 lines in 1.5 s, 2 a second\n         \
                    1 × title: is required\n         3 × taken, with the notice unknown_field";
        assert_eq!(summary.to_string(), text);
        let expect = json!({"lines": 3, "created": 2, "updated": 0, "unchanged": 0, "expired": 0,
            "reopened": 0, "refused": 1, "failed": 0, "seconds": 1.5,
            "missing": {"count": 3, "expired": 0, "held": true},
            "notices": {"unknown_field": 3},
            "reasons": [{"reason": "title: is required", "count": 1}]});
        assert_eq!(serde_json::to_value(&summary).unwrap(), expect);
    }
}
