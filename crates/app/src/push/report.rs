//! Counts the outcomes of the lines, and writes the rejected ones to a file.

use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    answer::{Outcome, Refusal},
    reader::Line,
};
use crate::text::{plain, shorten};

/// Distinct reasons that are counted; later ones count as other.
const REASONS: usize = 200;
/// Reasons that are printed.
const SHOWN_REASONS: usize = 8;
/// Characters of a reason that are printed.
const SHOWN_LENGTH: usize = 66;

/// Counts of the lines by outcome.
#[derive(Debug, Default)]
pub struct Counts {
    /// New postings.
    pub created: u64,
    /// Postings that existed.
    pub updated: u64,
    /// Lines that were rejected.
    pub refused: u64,
    /// Lines that were given up on.
    pub failed: u64,
}

impl Counts {
    /// The number of all lines.
    pub fn total(&self) -> u64 {
        self.created + self.updated + self.refused + self.failed
    }

    /// Whether every line was accepted.
    pub fn is_clean(&self) -> bool {
        self.refused == 0 && self.failed == 0
    }
}

/// A line of the rejects file.
#[derive(Serialize)]
struct Reject<'a> {
    id: Option<&'a str>,
    payload: Payload<'a>,
    status: Option<u16>,
    message: &'a str,
    errors: Errors<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Payload<'a> {
    Json(&'a RawValue),
    /// The line, if it is not one of a posting.
    Text(&'a str),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Errors<'a> {
    AsAnswered(&'a RawValue),
    None {},
}

/// The report of one run.
#[derive(Debug)]
pub struct Report<W: Write> {
    counts: Counts,
    reasons: HashMap<String, u64>,
    other_reasons: u64,
    rejects: Option<W>,
    started: Instant,
}

impl Report<BufWriter<File>> {
    /// A report that writes rejects to a file, if one is named, and replaces its content.
    pub fn create(rejects: Option<&Path>) -> anyhow::Result<Self> {
        let open = |path: &Path| {
            let file = File::create(path).with_context(|| {
                format!(
                    "the file {} for --rejects cannot be written",
                    path.display()
                )
            })?;
            anyhow::Ok(BufWriter::new(file))
        };
        Ok(Self::new(rejects.map(open).transpose()?))
    }
}

impl<W: Write> Report<W> {
    /// A report that writes rejects to a writer.
    pub fn new(rejects: Option<W>) -> Self {
        Self {
            counts: Counts::default(),
            reasons: HashMap::new(),
            other_reasons: 0,
            rejects,
            started: Instant::now(),
        }
    }

    /// Counts a line.
    pub fn record(&mut self, line: &Line, outcome: &Outcome) -> io::Result<()> {
        match outcome {
            Outcome::Created => self.counts.created += 1,
            Outcome::Updated => self.counts.updated += 1,
            Outcome::Refused(refusal) => {
                self.counts.refused += 1;
                self.count_reason(&reason(refusal));
                self.keep(line, refusal)?;
            }
            Outcome::Failed { refusal, .. } => {
                self.counts.failed += 1;
                let kind = refusal.status.map_or_else(
                    || "gave up: the service could not be reached".to_owned(),
                    |status| format!("gave up: the service kept answering {status}"),
                );
                self.count_reason(&kind);
                self.keep(line, refusal)?;
            }
        }
        Ok(())
    }

    fn count_reason(&mut self, reason: &str) {
        if let Some(count) = self.reasons.get_mut(reason) {
            *count += 1;
        } else if self.reasons.len() < REASONS {
            self.reasons.insert(reason.to_owned(), 1);
        } else {
            self.other_reasons += 1;
        }
    }

    fn keep(&mut self, line: &Line, refusal: &Refusal) -> io::Result<()> {
        let Some(rejects) = &mut self.rejects else {
            return Ok(());
        };
        let (id, payload) = match &line.content {
            Ok(entry) => (Some(entry.id.as_str()), Payload::Json(&entry.payload)),
            Err(unusable) => (unusable.id.as_deref(), Payload::Text(&unusable.text)),
        };
        let reject = Reject {
            id,
            payload,
            status: refusal.status,
            message: &refusal.message,
            errors: refusal
                .errors
                .as_deref()
                .map_or(Errors::None {}, Errors::AsAnswered),
        };
        serde_json::to_writer(&mut *rejects, &reject)?;
        rejects.write_all(b"\n")
    }

    /// The counts so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Flushes the rejects, and closes the report. There is a summary even if that fails.
    pub fn finish(mut self) -> (Summary, io::Result<()>) {
        let flushed = self.rejects.as_mut().map_or(Ok(()), W::flush);
        let mut reasons: Vec<_> = self.reasons.into_iter().collect();
        reasons.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
        let hidden = reasons.split_off(reasons.len().min(SHOWN_REASONS));
        let other = hidden.iter().map(|(_, count)| count).sum::<u64>() + self.other_reasons;
        if other > 0 {
            reasons.push(("for other reasons".to_owned(), other));
        }
        (
            Summary {
                counts: self.counts,
                reasons,
                took: self.started.elapsed(),
            },
            flushed,
        )
    }
}

/// A reason that is short enough to be counted: the first field with its error, or the message.
fn reason(refusal: &Refusal) -> String {
    let errors = refusal
        .errors
        .as_deref()
        .map(RawValue::get)
        .unwrap_or_default();
    let fields = serde_json::from_str::<serde_json::Map<_, _>>(errors).unwrap_or_default();
    let first = fields.iter().next().map(|(field, messages)| {
        let message = messages.get(0).and_then(serde_json::Value::as_str);
        format!("{field} {}", message.unwrap_or("is not valid"))
    });
    match (first, refusal.status) {
        (Some(first), _) => match fields.len() - 1 {
            0 => first,
            more => format!("{} (+{more})", shorten(&first, SHOWN_LENGTH - 5)),
        },
        (None, Some(status)) => format!("{status} {}", refusal.message),
        // The number of the line would make every such line a reason of its own.
        (None, None) => {
            let without_number = refusal.message.split_once(": ").map(|(_, rest)| rest);
            without_number.unwrap_or(&refusal.message).to_owned()
        }
    }
}

/// The summary of a run, as a few lines for people.
#[derive(Debug)]
pub struct Summary {
    /// The counts by outcome.
    pub counts: Counts,
    reasons: Vec<(String, u64)>,
    took: Duration,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts {
            created,
            updated,
            refused,
            failed,
        } = self.counts;
        let seconds = self.took.as_secs_f64();
        let total = self.counts.total();
        writeln!(f, "created {created:>10}")?;
        writeln!(f, "updated {updated:>10}")?;
        writeln!(f, "refused {refused:>10}")?;
        writeln!(f, "failed  {failed:>10}")?;
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
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::push::reader::Lines;

    fn refused(status: Option<u16>, message: &str, errors: Option<&str>) -> Outcome {
        let errors = errors.map(|errors| RawValue::from_string(errors.to_owned()).unwrap());
        Outcome::Refused(Refusal {
            status,
            message: message.to_owned(),
            errors,
        })
    }

    fn lines(input: &'static str) -> Vec<Line> {
        Lines::new(input.as_bytes()).map(Result::unwrap).collect()
    }

    #[test]
    fn rejects_say_what_was_sent_and_what_was_answered() {
        let input = "{\"id\":\"a/b\",\"payload\":{\"n\":1.50}}\n{\"id\":\"c\",\"payload\":{}}\nnonsense \"x\"";
        let lines = lines(input);
        let mut file = Vec::new();
        let mut report = Report::new(Some(&mut file));
        let errors = r#"{"company.name":["is required"],"title":["is required"]}"#;
        report
            .record(&lines[0], &refused(Some(422), "Two.", Some(errors)))
            .unwrap();
        report
            .record(&lines[1], &refused(Some(404), "Not found.", None))
            .unwrap();
        report
            .record(&lines[2], &refused(None, "line 3: bad", None))
            .unwrap();
        report.record(&lines[1], &Outcome::Created).unwrap();
        let (summary, flushed) = report.finish();
        flushed.unwrap();
        assert!(!summary.counts.is_clean());
        assert_eq!((summary.counts.created, summary.counts.refused), (1, 3));

        let text = String::from_utf8(file).unwrap();
        assert!(
            text.contains(r#""payload":{"n":1.50}"#),
            "the spelling is kept: {text}"
        );
        let rows: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let expect = [
            json!({"id": "a/b", "payload": {"n": 1.50}, "status": 422, "message": "Two.",
                "errors": {"company.name": ["is required"], "title": ["is required"]}}),
            json!({"id": "c", "payload": {}, "status": 404, "message": "Not found.", "errors": {}}),
            json!({"id": null, "payload": "nonsense \"x\"", "status": null,
                "message": "line 3: bad", "errors": {}}),
        ];
        assert_eq!(rows, expect);
    }

    #[test]
    fn the_summary_counts_reasons() {
        let lines = lines("{\"id\":\"a\",\"payload\":{}}");
        let mut report = Report::<Vec<u8>>::new(None);
        let errors = r#"{"title":["is required"]}"#;
        for _ in 0..3 {
            report
                .record(
                    &lines[0],
                    &refused(Some(422), "title is required.", Some(errors)),
                )
                .unwrap();
        }
        report
            .record(
                &lines[0],
                &refused(None, "line 7: missing field `id`", None),
            )
            .unwrap();
        report.record(&lines[0], &Outcome::Updated).unwrap();
        let refusal = Refusal {
            status: Some(503),
            message: "gave up".to_owned(),
            errors: None,
        };
        report
            .record(
                &lines[0],
                &Outcome::Failed {
                    refusal,
                    is_outage: false,
                },
            )
            .unwrap();
        for n in 0..1_000 {
            report
                .record(&lines[0], &refused(Some(400), &format!("{n}"), None))
                .unwrap();
        }
        let text = report.finish().0.to_string();
        for part in [
            "created          0\n",
            "updated          1\n",
            "refused       1004\n",
            "failed           1\n",
            "         3 × title is required\n",
            "× for other reasons",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
    }

    #[test]
    fn only_taken_lines_are_clean() {
        let clean = Counts {
            created: 1,
            updated: 1,
            ..Counts::default()
        };
        assert!(clean.is_clean());
        assert!(
            !Counts {
                refused: 1,
                ..Counts::default()
            }
            .is_clean()
        );
        assert!(
            !Counts {
                failed: 1,
                ..Counts::default()
            }
            .is_clean()
        );
    }
}
