//! `posthaste push`: the bulk loader.
//!
//! - `reader` reads the lines of a file, in a thread of its own.
//! - `order` keeps the lines of one identifier in order.
//! - `sender` sends a line until it has an outcome, with the tokens of `token` and the retry policy
//!   of `retry`; `answer` interprets the service's answers.
//! - `report` counts the outcomes and keeps the rejected lines.
//!
//! [`drive`] connects them. It holds as many lines as requests may be in flight, and a few that
//! wait for their turn, however long the file is.

mod answer;
mod order;
mod reader;
mod report;
mod retry;
mod sender;
mod token;

#[cfg(test)]
mod tests;

use std::{fs, io, path::Path, process::ExitCode, sync::Arc};

use anyhow::{Context as _, bail};
use tokio::{sync::mpsc, task::JoinSet};

pub use self::{
    answer::{Outcome, Refusal},
    reader::{Line, spawn as read},
    retry::RetryPolicy,
    sender::Sender,
    token::Credentials,
};
use self::{
    order::Order,
    report::{Counts, Report},
};
use crate::{
    cli::PushArgs,
    input, output, progress,
    shutdown::{INTERRUPTED, StopSignals},
};

/// Lines that may wait behind an earlier one of their identifier.
const WAITING: usize = 256;

/// The end of a run without errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every line has its outcome.
    Complete,
    /// A signal stopped it; lines in flight may have arrived or not.
    Stopped,
}

/// Runs the command.
pub async fn run(args: PushArgs) -> anyhow::Result<ExitCode> {
    let (input, length) = input::open(&args.file)?;
    if let Some(rejects) = &args.rejects {
        refuse_same_file(&args.file, rejects)?;
    }
    let credentials = Credentials {
        client_id: args.client_id,
        client_secret: args.client_secret,
    };
    let concurrency = usize::from(args.concurrency);
    let sender =
        Sender::connect(&args.url, credentials, concurrency, RetryPolicy::default()).await?;
    // After the first token, so that a wrong secret does not cost the rejects of an earlier run.
    let mut report = Report::create(args.rejects.as_deref())?;

    let bar = progress::of_input(length);
    let settle = |line: &Line, outcome: &Outcome| {
        bar.set_position(bar.position().max(line.end));
        report
            .record(line, outcome)
            .context("the file for --rejects cannot be written")?;
        bar.set_message(message(report.counts()));
        Ok(())
    };
    let stop = StopSignals::listen()?.asked();
    let end = drive(
        reader::spawn(input),
        Arc::new(sender),
        concurrency,
        stop,
        settle,
    )
    .await;
    bar.finish_and_clear();

    let (summary, written) = report.finish();
    written.context("the file for --rejects cannot be written")?;
    print_summary(&summary, args.rejects.as_deref())?;
    Ok(
        match end.context("stopped early; to push the file again is safe")? {
            End::Stopped => {
                output::print("Stopped before the end of the file. To push it again is safe.")?;
                ExitCode::from(INTERRUPTED)
            }
            End::Complete if summary.counts.is_clean() => ExitCode::SUCCESS,
            End::Complete => ExitCode::FAILURE,
        },
    )
}

fn print_summary(summary: &report::Summary, rejects: Option<&Path>) -> anyhow::Result<()> {
    output::print(summary)?;
    match rejects {
        _ if summary.counts.is_clean() => Ok(()),
        Some(path) => output::print(format!(
            "The lines that were not taken, and why: {}",
            path.display()
        )),
        None => output::print("Give --rejects FILE to keep the lines that were not taken."),
    }
}

/// Sends the lines, at most `concurrency` of them at once, and passes each outcome to `settle`.
/// After an error, no more lines are sent, and the ones in flight have no outcome.
pub async fn drive(
    mut lines: mpsc::Receiver<io::Result<Line>>,
    sender: Arc<Sender>,
    concurrency: usize,
    stop: impl Future<Output = ()>,
    mut settle: impl FnMut(&Line, &Outcome) -> anyhow::Result<()>,
) -> anyhow::Result<End> {
    let mut order = Order::new();
    let mut under_way = JoinSet::new();
    let mut last_read = 0;
    let mut input = Ok(());
    let mut is_open = true;
    tokio::pin!(stop);
    while is_open || !under_way.is_empty() {
        let has_room = under_way.len() < concurrency && order.waiting() < WAITING;
        tokio::select! {
            () = &mut stop => return Ok(End::Stopped),
            line = lines.recv(), if is_open && has_room => match line {
                Some(Ok(line)) => {
                    last_read = line.number;
                    let id = line.id().map(str::to_owned);
                    let ready = match id {
                        Some(id) => order.admit(&id, line),
                        None => Some(line),
                    };
                    if let Some(line) = ready {
                        under_way.spawn(send(Arc::clone(&sender), line));
                    }
                }
                Some(Err(error)) => {
                    // Lines that were read before it still get their outcomes.
                    is_open = false;
                    input = Err(error);
                }
                None => is_open = false,
            },
            Some(sent) = under_way.join_next() => {
                let (line, outcome) = sent.context("a request was not completed")?;
                let outcome = outcome?;
                settle(&line, &outcome)?;
                if let Outcome::Failed { refusal, is_outage: true } = &outcome {
                    bail!("the service does not answer any more: {}", refusal.message);
                }
                if let Some(next) = line.id().and_then(|id| order.settled(id)) {
                    under_way.spawn(send(Arc::clone(&sender), next));
                }
            }
        }
    }
    input.with_context(|| format!("the input cannot be read beyond line {last_read}"))?;
    Ok(End::Complete)
}

async fn send(sender: Arc<Sender>, line: Line) -> (Line, anyhow::Result<Outcome>) {
    let outcome = match &line.content {
        Ok(entry) => sender.send(&entry.id, &entry.payload).await,
        Err(unusable) => {
            let message = unusable.message.clone();
            Ok(Outcome::Refused(Refusal {
                status: None,
                message,
                errors: None,
            }))
        }
    };
    (line, outcome)
}

/// Fails if the rejects file is the input, which opening would empty.
fn refuse_same_file(input: &Path, rejects: &Path) -> anyhow::Result<()> {
    // A file that does not exist cannot be the input.
    let (Ok(input), Ok(target)) = (fs::canonicalize(input), fs::canonicalize(rejects)) else {
        return Ok(());
    };
    if input == target && input.is_file() {
        bail!(
            "--rejects names the file that is pushed: {}",
            rejects.display()
        );
    }
    Ok(())
}

fn message(counts: &Counts) -> String {
    let Counts {
        created,
        updated,
        refused,
        failed,
    } = counts;
    let not_taken = refused + failed;
    format!("{created} created, {updated} updated, {not_taken} refused")
}
