//! Remarks on a client's postings, and their optional fields.

use access::{Activity, activity::Counts};
use domain::posting::{Details, RemarkCode};
use time::OffsetDateTime;

use crate::chart::percent;

pub struct Facts {
    /// The remark codes of the kept days, most frequent first.
    pub remarks: Vec<(&'static str, u64)>,
    /// The percentage of pushed postings with a field: since yesterday, and in the week before.
    pub fields: Vec<(&'static str, [Option<u64>; 2])>,
}

impl Facts {
    pub fn of(activity: &Activity, now: OffsetDateTime) -> Self {
        let sums = activity.sums();
        let mut remarks: Vec<_> = sums.remarks.named(RemarkCode::NAMES).collect();
        remarks.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let compared = activity.compared(now);
        let share = |field: &str, counts: &Counts| {
            let mut fields = counts.fields.named(Details::OPTIONAL_FIELDS);
            let count = fields.find(|(name, _)| *name == field);
            let count = count.map_or(0, |(_, count)| count);
            (counts.accepted() > 0).then(|| percent(count, counts.accepted()))
        };
        let fields = sums.fields.named(Details::OPTIONAL_FIELDS);
        Self {
            fields: fields
                .map(|(field, _)| {
                    (
                        field,
                        compared.each_ref().map(|counts| share(field, counts)),
                    )
                })
                .collect(),
            remarks,
        }
    }
}

pub fn fill_rate(counts: &Counts) -> Option<u64> {
    let pushed = counts.accepted();
    let fields = u64::try_from(Details::OPTIONAL_FIELDS.len()).unwrap_or(1);
    (pushed > 0).then(|| percent(counts.fields.sum(), pushed.saturating_mul(fields)))
}

pub fn shown(percent: Option<u64>) -> String {
    percent.map_or_else(|| "–".to_owned(), |percent| format!("{percent} %"))
}
