//! Counts the outcomes of the lines, and writes those that were not taken to a file.

use std::{
    fmt,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{
    counts::Counts,
    entry::Entry,
    reasons::Reasons,
    receipts::{Answer, Missing, Outcome, Receipt},
};
use crate::text::{plain, shorten};

/// Characters of a reason that are printed.
const SHOWN_LENGTH: usize = 66;

/// A line of the rejects file.
#[derive(Serialize)]
struct Reject<'a> {
    id: Id<'a>,
    payload: Payload<'a>,
    status: Option<u16>,
    message: &'a str,
    errors: Errors<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Id<'a> {
    Json(&'a RawValue),
    Text(Option<&'a str>),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Payload<'a> {
    Json(&'a RawValue),
    /// The line, if it is not one of a posting.
    Text(String),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Errors<'a> {
    AsAnswered(&'a RawValue),
    None {},
}

/// The report of one run.
#[derive(Debug)]
pub struct Report<W: Write = BufWriter<File>> {
    counts: Counts,
    missing: Option<Missing>,
    /// Lines that were not taken, and that answers have no receipts of.
    unexplained: u64,
    reasons: Reasons,
    rejects: Option<W>,
    started: Instant,
}

impl Report {
    /// Writes rejects to a file, and replaces its content.
    pub fn write_rejects(&mut self, path: &Path) -> anyhow::Result<()> {
        let file = File::create(path).with_context(|| {
            format!(
                "the file {} for --rejects cannot be written",
                path.display()
            )
        })?;
        self.rejects = Some(BufWriter::new(file));
        Ok(())
    }
}

impl<W: Write> Report<W> {
    /// A report without rejects.
    pub fn new() -> Self {
        Self {
            counts: Counts::default(),
            missing: None,
            unexplained: 0,
            reasons: Reasons::default(),
            rejects: None,
            started: Instant::now(),
        }
    }

    /// Adds an answer. `find` has the line of the input for a line of the body; it is asked in the
    /// order of the lines.
    pub fn add(
        &mut self,
        counts: &Counts,
        answer: Answer,
        mut find: impl FnMut(u64) -> anyhow::Result<Option<Vec<u8>>>,
    ) -> anyhow::Result<()> {
        self.counts.add(counts);
        let summary = answer.summary;
        self.unexplained += summary.map_or(0, |summary| summary.receipts_omitted);
        for receipt in answer.receipts()? {
            let receipt = receipt?;
            if matches!(receipt.outcome, Outcome::Refused | Outcome::Failed) {
                let line = match self.rejects {
                    Some(_) => find(receipt.line)?,
                    None => None,
                };
                self.reject(line.as_deref(), &receipt)?;
            }
        }
        Ok(())
    }

    fn reject(&mut self, line: Option<&[u8]>, receipt: &Receipt) -> anyhow::Result<()> {
        let errors = receipt.errors.as_deref().map(RawValue::get);
        self.reasons.add(receipt.status, &receipt.message, errors);
        self.keep(line.unwrap_or_default(), receipt)
    }

    /// Adds a line that is refused without a receipt.
    pub fn refuse(
        &mut self,
        line: &[u8],
        status: Option<u16>,
        message: &str,
    ) -> anyhow::Result<()> {
        self.counts.refused += 1;
        self.reject(Some(line), &Receipt::of(Outcome::Refused, status, message))
    }

    /// Adds lines that were given up.
    pub fn give_up<'a>(
        &mut self,
        lines: impl Iterator<Item = &'a [u8]>,
        status: Option<u16>,
        message: &str,
    ) -> anyhow::Result<()> {
        let receipt = Receipt::of(Outcome::Failed, status, message);
        let mut count = 0;
        for line in lines {
            count += 1;
            self.keep(line, &receipt)?;
        }
        let reason = status.map_or_else(
            || "gave up: the service could not be reached".to_owned(),
            |status| format!("gave up: the service kept answering {status}"),
        );
        self.counts.failed += count;
        self.reasons.add_many(&reason, count);
        Ok(())
    }

    fn keep(&mut self, line: &[u8], receipt: &Receipt) -> anyhow::Result<()> {
        let Some(rejects) = &mut self.rejects else {
            return Ok(());
        };
        let (id, payload) = if let Ok(Entry { id, payload }) = serde_json::from_slice(line) {
            (Id::Json(id), Payload::Json(payload))
        } else {
            let text = String::from_utf8_lossy(line).into_owned();
            (Id::Text(receipt.id.as_deref()), Payload::Text(text))
        };
        let reject = Reject {
            id,
            payload,
            status: receipt.status,
            message: &receipt.message,
            errors: receipt
                .errors
                .as_deref()
                .map_or(Errors::None {}, Errors::AsAnswered),
        };
        let written = serde_json::to_writer(&mut *rejects, &reject).map_err(io::Error::from);
        written
            .and_then(|()| rejects.write_all(b"\n"))
            .context("the file for --rejects cannot be written")
    }

    /// Adds outcomes without receipts.
    pub fn count(&mut self, counts: &Counts) {
        self.counts.add(counts);
    }

    /// Notes which postings a catalogue lacks.
    pub fn set_missing(&mut self, missing: Option<Missing>) {
        self.missing = missing;
    }

    /// The counts so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Flushes the rejects, and closes the report. There is a summary even if that fails.
    pub fn finish(mut self) -> (Summary, io::Result<()>) {
        let flushed = self.rejects.as_mut().map_or(Ok(()), W::flush);
        let summary = Summary {
            lines: self.counts.total(),
            counts: self.counts,
            missing: self.missing,
            unexplained: self.unexplained,
            reasons: self.reasons.most_frequent(),
            took: self.started.elapsed(),
        };
        (summary, flushed)
    }
}

/// The summary of a run.
#[derive(Debug, Serialize)]
pub struct Summary {
    lines: u64,
    #[serde(flatten)]
    pub counts: Counts,
    /// What a catalogue lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// Lines that were not taken, without a receipt that says why.
    #[serde(rename = "receipts_omitted", skip_serializing_if = "is_zero")]
    unexplained: u64,
    #[serde(serialize_with = "by_reason")]
    reasons: Vec<(String, u64)>,
    #[serde(rename = "seconds", serialize_with = "in_seconds")]
    took: Duration,
}

impl Summary {
    /// Whether every line was taken, and nothing was held back.
    pub fn is_clean(&self) -> bool {
        self.counts.is_clean() && !self.is_held()
    }

    /// Whether postings that a catalogue lacks were kept from expiring.
    pub fn is_held(&self) -> bool {
        self.missing.is_some_and(|missing| missing.held)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes every field by reference"
)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn by_reason<S: Serializer>(reasons: &[(String, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Reason<'a> {
        reason: &'a str,
        count: u64,
    }
    serializer.collect_seq(reasons.iter().map(|(reason, count)| Reason {
        reason,
        count: *count,
    }))
}

fn in_seconds<S: Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((took.as_secs_f64() * 1_000.0).round() / 1_000.0)
}

/// A few lines for people.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in self.counts.named() {
            writeln!(f, "{name:<9} {count:>10}")?;
        }
        let (total, seconds) = (self.lines, self.took.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = total as f64 / seconds.max(0.001);
        write!(f, "{total} lines in {seconds:.1} s, {rate:.0} a second")?;
        for (reason, count) in &self.reasons {
            write!(
                f,
                "\n{count:>10} × {}",
                shorten(&plain(reason), SHOWN_LENGTH)
            )?;
        }
        if self.unexplained > 0 {
            write!(
                f,
                "\n{} lines more were not taken. The service says of so many only of the first why: \
                 mend these, and push again.",
                self.unexplained
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn rejects_say_what_was_sent_and_what_was_answered() {
        let mut file = Vec::new();
        let mut report = Report::new();
        report.rejects = Some(&mut file);
        let receipt = |text: &str| serde_json::from_str::<Receipt>(text).unwrap();
        let two = receipt(
            r#"{"line":1,"id":"a/b","outcome":"refused","status":422,"message":"Two.",
                "errors":{"company.name":["is required"],"title":["is required"]}}"#,
        );
        let line = br#"{"id":"a\/b","payload":{"n":1.50}}"#;
        report.reject(Some(line), &two).unwrap();
        let lacks = receipt(
            r#"{"line":2,"id":"c","outcome":"refused","status":400,"message":"No payload."}"#,
        );
        report.reject(Some(b"{\"id\":\"c\"}"), &lacks).unwrap();
        report.refuse(b"", None, "line 3: bad").unwrap();
        let line: &[u8] = br#"{"id":"d","payload":7}"#;
        report
            .give_up([line].into_iter(), Some(503), "gave up after")
            .unwrap();
        let (summary, flushed) = report.finish();
        flushed.unwrap();
        assert_eq!((summary.counts.refused, summary.counts.failed), (1, 1));

        let text = String::from_utf8(file).unwrap();
        assert!(
            text.contains(r#""id":"a\/b","payload":{"n":1.50}"#),
            "{text}"
        );
        let rows: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let expect = [
            json!({"id": "a/b", "payload": {"n": 1.50}, "status": 422, "message": "Two.",
                "errors": {"company.name": ["is required"], "title": ["is required"]}}),
            json!({"id": "c", "payload": "{\"id\":\"c\"}", "status": 400,
                "message": "No payload.", "errors": {}}),
            json!({"id": null, "payload": "", "status": null, "message": "line 3: bad",
                "errors": {}}),
            json!({"id": "d", "payload": 7, "status": 503, "message": "gave up after",
                "errors": {}}),
        ];
        assert_eq!(rows, expect);
    }

    #[test]
    fn a_summary_is_for_people_and_for_programs() {
        let mut report = Report::<Vec<u8>>::new();
        report.count(&Counts {
            created: 2,
            refused: 1,
            ..Counts::default()
        });
        report
            .reasons
            .add(Some(422), "No.", Some(r#"{"title":["is required"]}"#));
        report.set_missing(Some(Missing {
            count: 3,
            expired: 0,
            held: true,
        }));
        let (mut summary, _) = report.finish();
        summary.took = Duration::from_millis(1_500);
        assert!(!summary.is_clean() && summary.is_held());
        let text = "created            2\nupdated            0\nunchanged          0\n\
                    expired            0\nreopened           0\nrefused            1\n\
                    failed             0\n3 lines in 1.5 s, 2 a second\n         \
                    1 × title: is required";
        assert_eq!(summary.to_string(), text);
        let expect = json!({"lines": 3, "created": 2, "updated": 0, "unchanged": 0, "expired": 0,
            "reopened": 0, "refused": 1, "failed": 0, "seconds": 1.5,
            "missing": {"count": 3, "expired": 0, "held": true},
            "reasons": [{"reason": "title: is required", "count": 1}]});
        assert_eq!(serde_json::to_value(&summary).unwrap(), expect);
    }
}
