//! Taking in the records of a CSV file, some hundreds in a commit.
//!
//! The file is read in a thread of its own, and no more than a few batches are in memory.

use std::{fmt, io::BufRead, path::Path};

use anyhow::Context as _;
use tokio::sync::mpsc;

use super::records::{Fields, Layout, Records};
use crate::{input, output, progress};

/// Records that share a commit.
pub(super) const BATCH: usize = 500;
/// Batches that are read ahead.
const READ_AHEAD: usize = 2;

/// Turns the fields of a record into what it stands for, or says what is wrong with them by
/// columns.
type Read<T> = fn(&Fields) -> Result<T, String>;

/// What takes in the records of a file.
pub(super) trait Intake {
    /// What a record stands for.
    type Item: Send + 'static;
    /// What became of the records.
    type Tally: fmt::Display;

    /// Takes in some of them, in their order and in one commit.
    async fn take(&mut self, items: &[Self::Item]) -> anyhow::Result<()>;

    /// Counts records that were refused.
    fn refuse(&mut self, count: u64);

    /// What has become of the records by now.
    fn tally(&self) -> Self::Tally;
}

/// Takes in a file, with a progress bar and a line for each record that is refused.
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

/// Some records of the file.
#[derive(Debug)]
pub(super) struct Batch<T> {
    items: Vec<T>,
    /// Lines that are no records, and why.
    refused: Vec<(u64, String)>,
    /// How far into the file it reaches, in bytes.
    end: u64,
    /// The first and the last line that were read.
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

/// Something to tell whoever waits.
pub(super) enum Step<'a> {
    /// A line is refused, and why.
    Refused(u64, &'a str),
    /// The file was taken in up to here.
    Taken(u64, String),
}

/// Takes in batches until there are no more.
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

/// Reads in a thread of its own. It is never waited for: a read from a terminal or a pipe
/// cannot be interrupted, but must not keep the program from ending.
pub(super) fn spawn<T: Send + 'static>(
    input: impl BufRead + Send + 'static,
    layout: &'static Layout,
    read: Read<T>,
) -> mpsc::Receiver<anyhow::Result<Batch<T>>> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    std::thread::spawn(move || {
        let mut records = match Records::open(input, layout) {
            Ok(records) => records,
            Err(error) => {
                let _ = sender.blocking_send(Err(error));
                return;
            }
        };
        loop {
            let batch = next_batch(&mut records, read);
            let is_last = !matches!(&batch, Ok(Some(_)));
            // Whoever waits for it may be gone.
            if let Some(batch) = batch.transpose()
                && sender.blocking_send(batch).is_err()
            {
                return;
            }
            if is_last {
                return;
            }
        }
    });
    receiver
}

/// The next records; `None` when there are no more.
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
