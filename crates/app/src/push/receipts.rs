//! The answer to an import: receipts of lines, and a summary at its end.
//!
//! Receipts are kept until the summary says that the import is complete, and dropped if it is not,
//! because then the lines are sent again: a few of them in memory, more in a temporary file.

use std::io::{self, BufRead as _, BufReader, Seek as _, Write as _};

use anyhow::{Context as _, anyhow};
use reqwest::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tempfile::{SpooledTempFile, spooled_tempfile};

use super::{answer::AttemptError, counts::Counts, progress::Progress};

/// The longest line of an answer.
const LONGEST_LINE: usize = 1 << 20;
/// The bytes of receipts that are held in memory.
const IN_MEMORY: usize = 4 << 20;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Created,
    Updated,
    Unchanged,
    Expired,
    Reopened,
    Refused,
    Failed,
}

/// What the service says of a line.
#[derive(Debug, Deserialize)]
pub struct Receipt {
    /// The number of the line in the body, from 1.
    pub line: u64,
    pub id: Option<String>,
    pub outcome: Outcome,
    pub status: Option<u16>,
    #[serde(default)]
    pub message: String,
    /// The errors by field, as the service spelled them.
    pub errors: Option<Box<RawValue>>,
}

impl Receipt {
    /// A receipt for a line that the service has given none.
    pub fn of(outcome: Outcome, status: Option<u16>, message: &str) -> Self {
        Self {
            line: 0,
            id: None,
            outcome,
            status,
            message: message.to_owned(),
            errors: None,
        }
    }
}

/// Postings of a catalogue that no line named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Missing {
    pub count: u64,
    /// How many of them have expired.
    pub expired: u64,
    /// Whether none has, because they are so many.
    pub held: bool,
}

impl From<Missing> for domain::import::Missing {
    fn from(missing: Missing) -> Self {
        Self {
            count: missing.count,
            expired: missing.expired,
            held: missing.held,
        }
    }
}

/// The last line of an answer.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Summary {
    #[serde(flatten)]
    pub counts: Counts,
    #[serde(default)]
    pub complete: bool,
    /// Lines that the answer has no receipts of, because they are too many.
    #[serde(default)]
    pub receipts_omitted: u64,
    pub missing: Option<Missing>,
}

/// An answer that was read to its end.
#[derive(Debug)]
pub struct Answer {
    pub summary: Option<Summary>,
    /// The message of an answer that is none of an import.
    pub message: Option<String>,
    receipts: SpooledTempFile,
}

#[derive(Deserialize)]
struct Row<'a> {
    summary: Option<Summary>,
    #[serde(borrow)]
    line: Option<&'a RawValue>,
    message: Option<String>,
}

impl Answer {
    fn new() -> Self {
        Self {
            summary: None,
            message: None,
            receipts: spooled_tempfile(IN_MEMORY),
        }
    }

    /// Reads an answer, line by line.
    pub async fn read(mut response: Response, progress: &Progress) -> Result<Self, AttemptError> {
        let mut answer = Self::new();
        let mut rest = Vec::new();
        while let Some(piece) = response
            .chunk()
            .await
            .map_err(|error| AttemptError::of_transport(&error))?
        {
            progress.moved();
            let mut lines = piece.split_inclusive(|byte| *byte == b'\n');
            for part in &mut lines {
                rest.extend(part);
                if rest.len() > LONGEST_LINE {
                    let error = anyhow!(
                        "the service answered with a line of more than {LONGEST_LINE} bytes"
                    );
                    return Err(AttemptError::Fatal(error));
                }
                if rest.ends_with(b"\n") {
                    answer.add(&rest)?;
                    rest.clear();
                }
            }
        }
        answer.add(&rest)?;
        Ok(answer)
    }

    fn add(&mut self, text: &[u8]) -> Result<(), AttemptError> {
        // What is no JSON is of no import; the status says what it means.
        let Ok(row) = serde_json::from_slice::<Row<'_>>(text) else {
            return Ok(());
        };
        if row.line.is_some() {
            let written = self.receipts.write_all(text.trim_ascii());
            let written = written.and_then(|()| self.receipts.write_all(b"\n"));
            return written
                .context("the receipts cannot be kept in a temporary file")
                .map_err(AttemptError::Fatal);
        }
        self.summary = self.summary.take().or(row.summary);
        self.message = self.message.take().or(row.message);
        Ok(())
    }

    /// The receipts, in the order of the answer.
    pub fn receipts(mut self) -> io::Result<impl Iterator<Item = anyhow::Result<Receipt>>> {
        self.receipts.rewind()?;
        let lines = BufReader::new(self.receipts).lines();
        Ok(lines.map(|line| {
            serde_json::from_str(&line?).context("the service answered with an unknown receipt")
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(created: u64, updated: u64, unchanged: u64, refused: u64) -> Counts {
        Counts {
            created,
            updated,
            unchanged,
            refused,
            ..Counts::default()
        }
    }

    #[test]
    fn a_line_that_is_sent_again_keeps_its_first_outcome() {
        let check = |now: Counts, expect: Counts, left: Counts| {
            let mut earlier = counts(5, 2, 1, 1);
            assert_eq!(now.after(&mut earlier), expect);
            assert_eq!(earlier, left);
        };
        check(counts(1, 0, 20, 2), counts(6, 2, 13, 2), counts(0, 0, 1, 1));
        // Another push came between: no line is counted twice.
        check(counts(0, 6, 4, 0), counts(4, 6, 0, 0), counts(1, 2, 1, 1));
        check(counts(0, 6, 6, 0), counts(5, 7, 0, 0), counts(0, 1, 1, 1));
    }

    #[test]
    fn an_answer_has_receipts_and_a_summary() {
        let mut answer = Answer::new();
        for line in [
            "{\"line\":2,\"id\":\"b\",\"outcome\":\"refused\",\"status\":422,\"message\":\"m\",\
             \"errors\":{\"x\":[\"y\"]},\"more\":1}\r\n",
            "{\"line\":3,\"id\":null,\"outcome\":\"failed\",\"status\":500}\n",
            "\n",
            "{\"summary\":{\"lines\":3,\"created\":1,\"refused\":1,\"failed\":1,\"complete\":true,\
             \"missing\":{\"count\":4,\"expired\":0,\"held\":true}}}",
        ] {
            answer.add(line.as_bytes()).unwrap();
        }
        let summary = answer.summary.unwrap();
        assert_eq!((summary.counts.total(), summary.complete), (3, true));
        assert!(summary.missing.unwrap().held);
        let receipts: Vec<_> = answer.receipts().unwrap().map(Result::unwrap).collect();
        assert_eq!(
            (receipts[0].line, receipts[0].outcome),
            (2, Outcome::Refused)
        );
        assert_eq!(
            receipts[0].errors.as_ref().unwrap().get(),
            "{\"x\":[\"y\"]}"
        );
        assert_eq!(
            (receipts[1].status, receipts[1].id.as_deref()),
            (Some(500), None)
        );
    }
}
