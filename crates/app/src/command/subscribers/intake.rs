//! Imports the records of a CSV file in batches, each in one commit.
//!
//! The file is read in a thread of its own, with a few batches in memory at a time.

use std::{fmt, io::BufRead, iter, path::Path};

use anyhow::Context as _;
use tokio::sync::mpsc;

use super::records::{Fields, Layout, Records};
use crate::{input, output, progress};

/// Records per commit.
pub(super) const BATCH: usize = 500;
/// Batches that are read ahead.
const READ_AHEAD: usize = 2;

/// Parses the fields of a record; the error names the columns that are wrong.
type Read<T> = fn(&Fields) -> Result<T, String>;

/// An import of a file's records.
pub(super) trait Intake {
    /// A parsed record.
    type Item: Send + 'static;
    /// Counts of the records by outcome.
    type Tally: fmt::Display;

    /// Imports records in their order and in one commit.
    async fn take(&mut self, items: &[Self::Item]) -> anyhow::Result<()>;

    /// Adds to the count of refused records.
    fn refuse(&mut self, count: u64);

    /// The counts so far.
    fn tally(&self) -> Self::Tally;
}

/// Imports a file, with a progress bar and a line of output for each refused record.
pub(super) async fn from_file<I: Intake>(
    intake: &mut I,
    file: &Path,
    layout: &'static Layout,
    read: Read<I::Item>,
) -> anyhow::Result<()> {
    let (input, length) = input::open(file)?;
    let bar = progress::of_input(length);
    let ended = drive(intake, spawn(input, layout, read), |step| match step {
        Step::Refused(line, why) => bar.suspend(|| {
            output::complain(format_args!("line {line}: {why}"));
        }),
        Step::Taken(end, tally) => {
            bar.set_position(bar.position().max(end));
            bar.set_message(tally);
        }
    })
    .await;
    bar.finish_and_clear();
    ended
}

/// A batch of the file's records.
#[derive(Debug)]
pub(super) struct Batch<T> {
    items: Vec<T>,
    /// Refused lines, with the reason.
    refused: Vec<(u64, String)>,
    /// The offset of its end in the file, in bytes.
    end: u64,
    /// The first and the last line of the batch.
    lines: (u64, u64),
}

impl<T> Batch<T> {
    const fn new() -> Self {
        Self {
            items: Vec::new(),
            refused: Vec::new(),
            end: 0,
            lines: (0, 0),
        }
    }

    const fn len(&self) -> usize {
        self.items.len() + self.refused.len()
    }

    const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A progress event of an import.
pub(super) enum Step<'a> {
    /// A refused line, with the reason.
    Refused(u64, &'a str),
    /// The offset up to which the file is imported, in bytes, and the counts.
    Taken(u64, String),
}

/// Imports batches until there are no more.
pub(super) async fn drive<I: Intake>(
    intake: &mut I,
    mut batches: mpsc::Receiver<anyhow::Result<Batch<I::Item>>>,
    mut tell: impl FnMut(Step<'_>),
) -> anyhow::Result<()> {
    while let Some(batch) = batches.recv().await {
        let batch = batch?;
        for (line, why) in &batch.refused {
            tell(Step::Refused(*line, why));
        }
        let (first, last) = batch.lines;
        intake.take(&batch.items).await.with_context(|| {
            format!("stopped at lines {first} to {last}; to import the file again is safe")
        })?;
        intake.refuse(batch.refused.len() as u64);
        tell(Step::Taken(batch.end, intake.tally().to_string()));
    }
    Ok(())
}

/// Reads batches ahead, in a thread.
pub(super) fn spawn<T: Send + 'static>(
    input: impl BufRead + Send + 'static,
    layout: &'static Layout,
    read: Read<T>,
) -> mpsc::Receiver<anyhow::Result<Batch<T>>> {
    input::read_ahead(READ_AHEAD, move || {
        let mut records = Records::open(input, layout)?;
        Ok(iter::from_fn(move || {
            next_batch(&mut records, read).transpose()
        }))
    })
}

/// The next batch; `None` at the end of the file.
fn next_batch<T>(
    records: &mut Records<impl BufRead>,
    read: Read<T>,
) -> anyhow::Result<Option<Batch<T>>> {
    let mut batch = Batch::new();
    while batch.len() < BATCH {
        let Some(record) = records.next_record()? else {
            break;
        };
        let first = if batch.is_empty() {
            record.line
        } else {
            batch.lines.0
        };
        batch.lines = (first, record.line);
        batch.end = record.end;
        match record.fields.and_then(|fields| read(&fields)) {
            Ok(item) => batch.items.push(item),
            Err(why) => batch.refused.push((record.line, why)),
        }
    }
    Ok((!batch.is_empty()).then_some(batch))
}
