//! `posthaste subscribers import`: reports of the membership system from a CSV file.
//!
//! - [`records`] finds the records of the file and the lines they begin on.
//! - [`row`] turns a record into a report, by the rules of the API.
//!
//! Some hundreds of reports share a commit, and no more than a few such batches are in memory.
//! What is known already writes nothing, so a file that was imported in part can be imported
//! again.

mod records;
mod row;

#[cfg(test)]
mod tests;

use std::{
    collections::HashSet,
    fmt,
    io::BufRead,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use domain::{
    store::Store,
    subscriber::PutSubscriber,
    usecase::{Reported, put_subscribers},
};
use tokio::sync::mpsc;

use self::records::Records;
use crate::{
    cli::SubscribersImportArgs,
    clock::{self, Clock},
    conflicts::decide_again,
    database::Database,
    input, newsletter, output, progress,
};

/// Reports that share a commit.
const BATCH: usize = 500;
/// Batches that are read ahead.
const READ_AHEAD: usize = 2;

/// The command.
pub(super) async fn run(args: SubscribersImportArgs) -> anyhow::Result<ExitCode> {
    let (input, length) = input::open(&args.file)?;
    let database = Database::open(&args.store.database()).await?;
    let bar = progress::of_input(length);
    let mut import = Import {
        store: &*database.store,
        clock: clock::system(),
        tally: Tally::default(),
    };
    let started = Instant::now();
    let ended = import
        .drive(spawn(input), |step| match step {
            Step::Refused(line, why) => bar.suspend(|| {
                output::complain(format_args!("line {line}: {why}"));
            }),
            Step::Taken(end, tally) => {
                bar.set_position(bar.position().max(end));
                bar.set_message(tally.progress());
            }
        })
        .await;
    bar.finish_and_clear();
    let tally = import.tally;
    if ended.is_ok() || tally.total() > 0 {
        output::print(Summary(tally, started.elapsed()))?;
    }
    ended?;
    Ok(if tally.refused == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What became of the lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    created: u64,
    updated: u64,
    unchanged: u64,
    refused: u64,
}

impl Tally {
    const fn total(&self) -> u64 {
        self.created + self.updated + self.unchanged + self.refused
    }

    fn progress(&self) -> String {
        let Self {
            created,
            updated,
            unchanged,
            refused,
        } = self;
        format!("{created} created, {updated} updated, {unchanged} unchanged, {refused} refused")
    }
}

/// What became of the lines, and how long it took.
struct Summary(Tally, Duration);

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(tally, took) = self;
        writeln!(f, "created   {:>10}", tally.created)?;
        writeln!(f, "updated   {:>10}", tally.updated)?;
        writeln!(f, "unchanged {:>10}", tally.unchanged)?;
        writeln!(f, "refused   {:>10}", tally.refused)?;
        let (total, seconds) = (tally.total(), took.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = total as f64 / seconds.max(0.001);
        write!(f, "{total} people in {seconds:.1} s, {rate:.0} a second")
    }
}

/// Some lines of the file.
#[derive(Debug, Default)]
struct Batch {
    puts: Vec<PutSubscriber>,
    /// Lines that are no reports, and why.
    refused: Vec<(u64, String)>,
    /// How far into the file it reaches, in bytes.
    end: u64,
    /// The first and the last line that were read.
    lines: (u64, u64),
}

impl Batch {
    const fn len(&self) -> usize {
        self.puts.len() + self.refused.len()
    }

    const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Something to tell whoever waits.
enum Step<'a> {
    /// A line is no report, and why.
    Refused(u64, &'a str),
    /// The file was taken in up to here.
    Taken(u64, &'a Tally),
}

/// An import that is under way.
struct Import<'a> {
    store: &'a dyn Store,
    clock: Clock,
    tally: Tally,
}

impl Import<'_> {
    /// Takes in batches until there are no more.
    async fn drive(
        &mut self,
        mut batches: mpsc::Receiver<anyhow::Result<Batch>>,
        mut tell: impl FnMut(Step<'_>),
    ) -> anyhow::Result<()> {
        while let Some(batch) = batches.recv().await {
            let batch = batch?;
            for (line, why) in &batch.refused {
                tell(Step::Refused(*line, why));
            }
            let (first, last) = batch.lines;
            self.take(&batch.puts).await.with_context(|| {
                format!("stopped at lines {first} to {last}; to import the file again is safe")
            })?;
            self.tally.refused += batch.refused.len() as u64;
            tell(Step::Taken(batch.end, &self.tally));
        }
        Ok(())
    }

    /// Takes in reports, in their order and in one commit.
    async fn take(&mut self, puts: &[PutSubscriber]) -> anyhow::Result<()> {
        let emails: HashSet<_> = puts.iter().map(|put| put.email.clone()).collect();
        let emails: Vec<_> = emails.into_iter().collect();
        if emails.is_empty() {
            return Ok(());
        }
        let mut known = self.store.load_subscribers(&emails).await?;
        let attempt = || put_subscribers(self.store, puts, (self.clock)());
        let reported = decide_again(newsletter::DEADLINE, attempt).await?;
        for Reported { subscriber, is_new } in reported {
            let earlier = known.insert(subscriber.email.clone(), subscriber.clone());
            if is_new {
                self.tally.created += 1;
            } else if earlier == Some(subscriber) {
                self.tally.unchanged += 1;
            } else {
                self.tally.updated += 1;
            }
        }
        Ok(())
    }
}

/// Reads in a thread of its own. It is never waited for: a read from a terminal or a pipe
/// cannot be interrupted, but must not keep the program from ending.
fn spawn(input: impl BufRead + Send + 'static) -> mpsc::Receiver<anyhow::Result<Batch>> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    std::thread::spawn(move || {
        let mut records = match Records::open(input) {
            Ok(records) => records,
            Err(error) => {
                let _ = sender.blocking_send(Err(error));
                return;
            }
        };
        loop {
            let batch = read(&mut records);
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

/// The next lines; `None` when there are no more.
fn read(records: &mut Records<impl BufRead>) -> anyhow::Result<Option<Batch>> {
    let mut batch = Batch::default();
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
        match record.fields.and_then(|fields| row::report(&fields)) {
            Ok(put) => batch.puts.push(put),
            Err(why) => batch.refused.push((record.line, why)),
        }
    }
    Ok((!batch.is_empty()).then_some(batch))
}
