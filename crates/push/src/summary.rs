use std::{collections::BTreeMap, fmt, num::NonZero, time::Duration};

use cli::text::{plain, shorten};
use serde::Serialize;

use crate::{
    answer::{Changes, Missing},
    counts::Counts,
    import::Import,
    preview::{Finding, findings},
    reasons::{Reason, reasons},
};

/// The largest length of a reason, or of each of its two parts, in characters.
const SHOWN_LENGTH: usize = 66;

/// A reason. If it is too long, its problem and its remedy are shortened separately.
fn shown(reason: &str) -> String {
    let reason = plain(reason);
    match reason.rsplit_once("; ") {
        Some((problem, cure)) if reason.chars().count() > SHOWN_LENGTH => {
            let problem = shorten(problem, SHOWN_LENGTH);
            format!("{problem}; {}", shorten(cure, SHOWN_LENGTH))
        }
        _ => shorten(&reason, SHOWN_LENGTH),
    }
}

#[derive(Debug, Serialize)]
pub struct Summary {
    lines: u64,
    #[serde(flatten)]
    counts: Counts,
    /// Refused lines whose identifier is not certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    unattributed: Option<NonZero<u64>>,
    /// Refused lines that expire an unknown posting.
    #[serde(skip_serializing_if = "Option::is_none")]
    nothing_to_expire: Option<NonZero<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Missing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Changes>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    degraded: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    notices: BTreeMap<String, u64>,
    /// Lines that were not taken, and have no receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipts_omitted: Option<NonZero<u64>>,
    reasons: Vec<Reason>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    previews: Vec<Finding>,
    seconds: f64,
}

impl Summary {
    pub fn new(import: &Import, took: Duration) -> Self {
        let needless = import
            .receipts
            .iter()
            .filter(|receipt| receipt.is_needless());
        Self {
            lines: import.counts.total(),
            counts: import.counts,
            unattributed: NonZero::new(import.unattributed),
            nothing_to_expire: NonZero::new(needless.count() as u64),
            missing: import.missing.clone(),
            changes: import.changes.clone(),
            degraded: import.degraded.clone(),
            notices: import.notices.clone(),
            receipts_omitted: NonZero::new(import.receipts_omitted),
            reasons: reasons(&import.receipts),
            previews: findings(&import.receipts),
            seconds: (took.as_secs_f64() * 1_000.0).round() / 1_000.0,
        }
    }
}

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
            write!(f, "\n{count:>10} × {}", shown(reason))?;
        }
        for Finding {
            kind,
            code,
            count,
            id,
            sentence,
        } in &self.previews
        {
            let kind = match kind.as_str() {
                "remark" => "remark",
                "approved" => "would be approved",
                "rejected" => "would be rejected",
                notice => &format!("taken, with the notice {}", plain(notice)),
            };
            let code = plain(code);
            write!(f, "\n{count:>10} × {kind}: {code}")?;
            if code != "no_objection" {
                let (id, sentence) = (shorten(&plain(id), SHOWN_LENGTH), plain(sentence));
                write!(f, ": {id}: {}", shorten(&sentence, SHOWN_LENGTH))?;
            }
        }
        if let Some(lines) = self.unattributed {
            write!(
                f,
                "\n{lines} of the refused lines may be about other postings"
            )?;
        }
        if let Some(lines) = self.nothing_to_expire {
            write!(
                f,
                "\n{lines} of the refused lines expire a posting that is not there: nothing is left to do"
            )?;
        }
        let is_shown = |code: &str| self.previews.iter().any(|it| it.kind == code);
        let notices = self.notices.iter().filter(|(code, _)| !is_shown(code));
        for (code, count) in notices {
            write!(
                f,
                "\n{count:>10} × taken, with the notice {}; --dry-run says for which fields",
                plain(code)
            )?;
        }
        if let Some(changes) = &self.changes {
            changes.lost.iter().try_for_each(|(field, count)| {
                write!(f, "\n{count:>10} × lost the value of {}", plain(field))
            })?;
            let others = changes.others.iter().filter(|(_, count)| **count > 0);
            for (name, count) in others {
                write!(f, "\n{count:>10} × {}", plain(name))?;
            }
        }
        if !self.degraded.is_empty() {
            let degraded = self.degraded.join(", ");
            write!(
                f,
                "\nThe import looks degraded: {}. Look at the source.",
                plain(&degraded)
            )?;
        }
        if let Some(omitted) = self.receipts_omitted {
            write!(
                f,
                "\nThe service explains only the first lines, but not {omitted} others: fix these \
                 lines, and push again."
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
        let remark =
            json!({"code": "no_place", "field": "x", "sentence": "\"Remote\" is no place."});
        let verdict = json!({"outcome": "approved", "code": "no_objection", "sentence": "Fine."});
        let notice = json!({"code": "left_out", "field": "employment_types.0", "message": "No."});
        let taken = json!({"line": 2, "id": "b", "outcome": "created", "status": 201,
            "notices": [notice],
            "preview": {"verdict": verdict, "remarks": [remark]}});
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
                because: Some("share".to_owned()),
                first: vec!["a".to_owned()],
            }),
            changes: Some(Changes {
                lost: [("salary_min".to_owned(), 21)].into(),
                others: [("same_text".to_owned(), 0), ("shrunk".to_owned(), 4)].into(),
            }),
            degraded: vec!["lost:salary_min".to_owned()],
            unattributed: 1,
            notices: [("unknown_field".to_owned(), 3)].into(),
            receipts: [receipt, taken]
                .map(|it| serde_json::from_value(it).unwrap())
                .into(),
            receipts_omitted: 0,
        };
        let summary = Summary::new(&import, Duration::from_millis(1_500));
        let text = "created            2\nupdated            0\nunchanged          0\n\
                    expired            0\nreopened           0\nrefused            1\n\
                    failed             0\n3 lines in 1.5 s, 2 a second\n         \
                    1 × title: is required\n         \
                    1 × would be approved: no_objection\n         \
                    1 × remark: no_place: b: \"Remote\" is no place.\n         \
                    1 × taken, with the notice left_out: employment_types.*: b: No.\n\
                    1 of the refused lines may be about other postings\n         \
                    3 × taken, with the notice unknown_field; --dry-run says for which fields\n        \
                    21 × lost the value of salary_min\n         \
                    4 × shrunk\n\
                    The import looks degraded: lost:salary_min. Look at the source.";
        assert_eq!(summary.to_string(), text);
        let expect = json!({"lines": 3, "created": 2, "updated": 0, "unchanged": 0, "expired": 0,
        "reopened": 0, "refused": 1, "failed": 0, "unattributed": 1, "seconds": 1.5,
        "missing": {"count": 3, "expired": 0, "held": true, "because": "share",
            "first": ["a"]},
        "notices": {"unknown_field": 3}, "degraded": ["lost:salary_min"],
        "changes": {"lost": {"salary_min": 21}, "same_text": 0, "shrunk": 4},
        "reasons": [{"reason": "title: is required", "count": 1}],
        "previews": [
            {"kind": "approved", "code": "no_objection", "count": 1, "id": "b", "sentence": "Fine."},
            {"kind": "remark", "code": "no_place", "count": 1, "id": "b",
                "sentence": "\"Remote\" is no place."},
            {"kind": "left_out", "code": "employment_types.*", "count": 1, "id": "b",
                "sentence": "No."},
        ]});
        assert_eq!(serde_json::to_value(&summary).unwrap(), expect);
    }

    #[test]
    fn of_a_long_reason_the_cure_is_printed() {
        let reason = "location_country_code: \"…\" is not a code of a country in ISO 3166-1 alpha-2; \
                      is \"…\" meant?";
        let expect = "location_country_code: \"…\" is not a code of a country in ISO 3166…; is \"…\" \
                      meant?";
        assert_eq!(shown(reason), expect);
        assert_eq!(shown("title: is required; x"), "title: is required; x");
    }

    #[test]
    fn what_expires_nothing_that_is_there_needs_no_more() {
        let refused = |status: u16| {
            let receipt = json!({"line": 1, "id": "a", "outcome": "refused", "status": status});
            serde_json::from_value(receipt).unwrap()
        };
        let import = |receipts: Vec<_>, omitted| Import {
            counts: Counts {
                refused: receipts.len() as u64 + omitted,
                ..Counts::default()
            },
            receipts,
            receipts_omitted: omitted,
            ..Import::default()
        };
        let needless = import(vec![refused(404)], 0);
        assert!(needless.is_clean());
        let summary = Summary::new(&needless, Duration::ZERO);
        assert_eq!(
            serde_json::to_value(&summary).unwrap()["nothing_to_expire"],
            1
        );
        assert!(!import(vec![refused(404), refused(422)], 0).is_clean());
        assert!(!import(vec![refused(404)], 1).is_clean());
    }
}
