//! `posthaste push`: the bulk loader.
//!
//! - `source` opens the input, unpacks it and tells lines from an `array`; `entry` is one line.
//! - `chunk` makes bodies that can be sent again of the lines, and `import` sends them;
//!   `catalogue` sends all lines as one body.
//! - `sender` sends a body until it has a complete answer, with the tokens of `token`, the retry
//!   policy of `retry` and the `options` of its path; `answer`, `counts` and `receipts` interpret
//!   what the service answers.
//! - `report` counts the outcomes, groups the `reasons` and keeps the rejected lines; `progress`
//!   says meanwhile what is done and waited for.
//!
//! Memory stays flat however long the input is: three chunks, or a few blocks of a catalogue.

mod answer;
mod array;
mod catalogue;
mod chunk;
mod counts;
mod entry;
mod import;
mod options;
mod progress;
mod reasons;
mod receipts;
mod report;
mod retry;
mod sender;
mod source;
mod token;

#[cfg(test)]
mod tests;

use std::{fs, iter, path::Path, process::ExitCode, sync::Arc};

use anyhow::{Context as _, bail};
use tokio::task;

use self::{
    catalogue::Catalogue,
    chunk::{Chunks, Pace},
    options::ImportOptions,
    progress::Display,
    report::{Report, Summary},
    source::{Input, Source},
};
pub use self::{
    chunk::Chunk,
    import::receipts,
    progress::Progress,
    receipts::{Outcome, Receipt},
    retry::RetryPolicy,
    sender::Sender,
    token::Credentials,
};
use crate::{
    cli::PushArgs,
    input, output,
    shutdown::{INTERRUPTED, StopSignals},
};

/// Runs the command.
pub async fn run(args: PushArgs) -> anyhow::Result<ExitCode> {
    run_with(&args, RetryPolicy::default()).await
}

async fn run_with(args: &PushArgs, policy: RetryPolicy) -> anyhow::Result<ExitCode> {
    if args.concurrency.is_some() {
        output::complain(
            "warning: --concurrency and POSTHASTE_PUSH_CONCURRENCY have no effect any more: one \
             import is sent at a time, and the service works on many of its lines at once",
        );
    }
    if let Some(rejects) = &args.rejects {
        refuse_same_file(&args.file, rejects)?;
    }
    let mut report = Report::new();
    let progress = Progress::new();
    let stop = StopSignals::listen()?.asked();
    let ended = {
        let _display = Display::start(&progress);
        tokio::select! {
            ended = push(args, policy, &mut report, &progress) => Some(ended),
            () = stop => None,
        }
    };
    let (summary, written) = report.finish();
    let is_complete = matches!(ended, Some(Ok(())));
    if is_complete || summary.counts.total() > 0 {
        print_summary(&summary, args)?;
    }
    written.context("the file for --rejects cannot be written")?;
    match ended {
        None => {
            let message = "Stopped before the end. To push the same again is safe.";
            if args.json.enabled {
                output::complain(message);
            } else {
                output::print(message)?;
            }
            Ok(ExitCode::from(INTERRUPTED))
        }
        Some(Err(error)) => Err(error),
        Some(Ok(())) if summary.is_clean() => Ok(ExitCode::SUCCESS),
        Some(Ok(())) => Ok(ExitCode::FAILURE),
    }
}

/// What can be read again, or is read once.
enum Opened {
    Catalogue(String, Source),
    Lines(Input),
}

async fn push(
    args: &PushArgs,
    policy: RetryPolicy,
    report: &mut Report,
    progress: &Progress,
) -> anyhow::Result<()> {
    let opened = {
        let (file, catalogue) = (args.file.clone(), args.catalogue.clone());
        task::spawn_blocking(move || open(&file, catalogue)).await??
    };
    let credentials = Credentials {
        client_id: args.client_id.clone(),
        client_secret: args.client_secret.clone(),
    };
    let sender = Sender::connect(&args.url, credentials, policy, progress.clone()).await?;
    // After the first token, so that a wrong secret does not cost the rejects of an earlier run.
    if let Some(path) = &args.rejects {
        report.write_rejects(path)?;
    }
    let options = ImportOptions {
        reopens: args.reopen,
        is_strict: args.strict,
        is_dry_run: args.dry_run,
    };
    let ended = match opened {
        Opened::Catalogue(name, source) => {
            let catalogue = Catalogue {
                name: &name,
                max_missing: args.max_missing,
            };
            catalogue::run(&source, &catalogue, &sender, options, report, progress).await
        }
        Opened::Lines(input) => {
            progress.start(input.length);
            let pace = Arc::new(Pace::default());
            let mut chunks = Chunks::new(input, Arc::clone(&pace), args.reopen);
            let chunks =
                input::read_ahead(1, || Ok(iter::repeat_with(move || chunks.next_chunk())));
            import::run(chunks, &pace, &sender, options, report, progress).await
        }
    };
    ended.context("stopped early; to push the same again is safe")
}

fn open(file: &Path, catalogue: Option<String>) -> anyhow::Result<Opened> {
    let Some(name) = catalogue else {
        return Ok(Opened::Lines(Input::open(file)?));
    };
    let source = Source::spooled(file)?;
    // What cannot be pushed is noticed before anything is sent.
    source.open()?;
    Ok(Opened::Catalogue(name, source))
}

fn print_summary(summary: &Summary, args: &PushArgs) -> anyhow::Result<()> {
    let missing = summary.missing.filter(|missing| missing.count > 0);
    let missing = missing.map(|missing| catalogue::missing(args, &missing, summary.counts.expired));
    if args.json.enabled {
        if summary.is_held() {
            output::complain(missing.unwrap_or_default());
        }
        return output::print_json(summary);
    }
    if args.dry_run {
        output::print("What would happen; nothing was written:")?;
    }
    output::print(summary)?;
    if let Some(missing) = missing {
        output::print(missing)?;
    }
    match &args.rejects {
        _ if summary.counts.is_clean() => Ok(()),
        Some(path) => output::print(format!(
            "The lines that were not taken, and why: {}",
            path.display()
        )),
        None => output::print("Give --rejects FILE to keep the lines that were not taken."),
    }
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
