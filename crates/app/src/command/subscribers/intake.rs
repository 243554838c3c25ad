//! Imports the records of a CSV file in batches, one commit each. A separate thread reads the file,
//! a few batches ahead.

use std::{
    fmt,
    io::BufRead,
    iter,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use indicatif::ProgressBar;
use kernel::audit::Entry;
use newsletter::{store::Store, usecase::Run};
use runtime::{Clock, clock};
use tokio::sync::mpsc;

use crate::{args::exit_code, input, output, progress};
use cli::records::{Fields, Layout, Records};

pub(super) const BATCH: usize = 500;
const READ_AHEAD: usize = 2;

pub(super) trait Record: Sized + Send + 'static {
    const LAYOUT: &'static Layout;
    const OUTCOMES: &'static [&'static str];

    fn parse(fields: &Fields) -> Result<Self, String>;

    async fn import(items: &[Self], import: &mut Intake<'_>) -> anyhow::Result<Vec<&'static str>>;

    fn summary(tally: &Tally, _took: Duration) -> String {
        tally.to_string()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tally(Vec<(&'static str, u64)>);

impl Tally {
    const REFUSED: &str = "refused";

    pub fn of<R: Record>() -> Self {
        Self::new(R::OUTCOMES.iter().copied().chain([Self::REFUSED]))
    }

    pub fn new(outcomes: impl IntoIterator<Item = &'static str>) -> Self {
        Self(outcomes.into_iter().map(|outcome| (outcome, 0)).collect())
    }

    pub fn add(&mut self, outcome: &str, count: u64) {
        let mut counts = self.0.iter_mut();
        if let Some((_, sum)) = counts.find(|(name, _)| *name == outcome) {
            *sum += count;
        }
    }

    pub fn counts(&self) -> &[(&'static str, u64)] {
        &self.0
    }

    pub fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// Whether no record failed: the last outcome counts the failed records.
    pub fn is_good(&self) -> bool {
        self.0.last().is_some_and(|(_, bad)| *bad == 0)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self
            .0
            .iter()
            .map(|(outcome, count)| format!("{count} {outcome}"));
        f.write_str(&counts.collect::<Vec<_>>().join(", "))
    }
}

pub(super) struct Intake<'a> {
    pub store: &'a dyn Store,
    pub clock: Clock,
    /// The run in the audit log; `None` for a dry run.
    pub run: Option<Run>,
}

/// Imports a file with a progress bar, and prints a line for each refused record and the totals.
/// Without an `entry` nothing is written.
pub(super) async fn run<R: Record>(
    store: &dyn Store,
    file: &Path,
    entry: Option<Entry>,
) -> anyhow::Result<ExitCode> {
    let entry = entry.map(|entry| entry.with("file", file.display().to_string()));
    let mut import = Intake {
        store,
        clock: clock::system(),
        run: entry.map(Run::new),
    };
    let mut tally = Tally::of::<R>();
    let (input, length) = input::open(file)?;
    let (bar, started) = (progress::of_input(length), Instant::now());
    let refuse = |line, why: &str| {
        bar.suspend(|| output::print_error(format_args!("line {line}: {why}")));
    };
    let ended = drive(&mut import, spawn::<R>(input), &mut tally, &bar, refuse).await;
    bar.finish_and_clear();
    if ended.is_ok() || tally.total() > 0 {
        output::print(R::summary(&tally, started.elapsed()))?;
    }
    let recorded = match import.run {
        Some(run) => run.end(store, tally.counts().iter().copied()).await,
        None => Ok(()),
    };
    ended?;
    recorded?;
    Ok(exit_code(tally.is_good()))
}

#[derive(Debug)]
pub(super) struct Batch<T> {
    items: Vec<T>,
    refused: Vec<(u64, String)>,
    end: u64,
    lines: (u64, u64),
}

pub(super) async fn drive<R: Record>(
    import: &mut Intake<'_>,
    mut batches: mpsc::Receiver<anyhow::Result<Batch<R>>>,
    tally: &mut Tally,
    bar: &ProgressBar,
    mut refuse: impl FnMut(u64, &str),
) -> anyhow::Result<()> {
    while let Some(batch) = batches.recv().await {
        let batch = batch?;
        for (line, why) in &batch.refused {
            refuse(*line, why);
        }
        if !batch.items.is_empty() {
            let (first, last) = batch.lines;
            let outcomes = R::import(&batch.items, import).await.with_context(|| {
                format!("stopped at lines {first} to {last}; the file can be imported again safely")
            })?;
            for outcome in outcomes {
                tally.add(outcome, 1);
            }
        }
        tally.add(Tally::REFUSED, batch.refused.len() as u64);
        bar.set_position(bar.position().max(batch.end));
        bar.set_message(tally.to_string());
    }
    Ok(())
}

pub(super) fn spawn<R: Record>(
    input: impl BufRead + Send + 'static,
) -> mpsc::Receiver<anyhow::Result<Batch<R>>> {
    input::read_ahead(READ_AHEAD, move || {
        let mut records = Records::open(input, R::LAYOUT)?;
        Ok(iter::from_fn(move || next_batch(&mut records).transpose()))
    })
}

fn next_batch<R: Record>(records: &mut Records<impl BufRead>) -> anyhow::Result<Option<Batch<R>>> {
    let mut batch = None;
    for _ in 0..BATCH {
        let Some(record) = records.next_record()? else {
            break;
        };
        let batch = batch.get_or_insert_with(|| Batch {
            items: Vec::new(),
            refused: Vec::new(),
            end: record.end,
            lines: (record.line, record.line),
        });
        batch.lines.1 = record.line;
        batch.end = record.end;
        match record.fields.and_then(|fields| R::parse(&fields)) {
            Ok(item) => batch.items.push(item),
            Err(why) => batch.refused.push((record.line, why)),
        }
    }
    Ok(batch)
}

#[cfg(test)]
pub(super) async fn import_text<R: Record>(
    import: &mut Intake<'_>,
    text: &str,
) -> (anyhow::Result<Tally>, Vec<String>) {
    let (mut tally, mut refused) = (Tally::of::<R>(), Vec::new());
    let batches = spawn::<R>(std::io::Cursor::new(text.to_owned().into_bytes()));
    let refuse = |line, why: &str| refused.push(format!("{line}: {why}"));
    let bar = ProgressBar::hidden();
    let ended = drive(import, batches, &mut tally, &bar, refuse).await;
    (ended.map(|()| tally), refused)
}
