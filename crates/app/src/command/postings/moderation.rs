use std::{
    io::BufRead as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use domain::{
    posting::{Ground, Posting, moderation::Moderation},
    usecase,
};
use kernel::{SourceIdentifier, Version};
use runtime::{COMMAND_PATIENCE, clock, decide_again};

use super::{open, resolve};
use crate::{
    args::{ChangeArgs, GroundArgs, LifetimeArgs, values},
    input,
    misconfigured::Misconfigured,
    output, text,
};

/// Feature postings
#[derive(Debug, Args)]
pub struct Feature {
    /// Stop featuring them
    #[arg(long)]
    off: bool,
    #[command(flatten)]
    postings: PostingArgs,
}

impl Feature {
    pub async fn run(self) -> anyhow::Result<()> {
        moderate(self.postings, Moderation::Feature(!self.off)).await
    }
}

pub async fn with_reason(
    args: ReasonArgs,
    command: fn(String) -> Moderation,
) -> anyhow::Result<()> {
    moderate(args.postings, command(args.reason)).await
}

pub async fn remove(
    args: RemovalArgs,
    command: fn(String, Ground) -> Moderation,
) -> anyhow::Result<()> {
    let ReasonArgs { reason, postings } = args.reason;
    moderate(postings, command(reason, args.ground.ground)).await
}

#[derive(Debug, Args)]
pub struct RemovalArgs {
    #[command(flatten)]
    ground: GroundArgs,
    #[command(flatten)]
    reason: ReasonArgs,
}

#[derive(Debug, Args)]
pub struct ReasonArgs {
    /// The reason, which the integrator reads
    #[arg(long, value_name = "REASON", value_parser = values::reason)]
    reason: String,
    #[command(flatten)]
    postings: PostingArgs,
}

#[derive(Debug, Args)]
pub struct PostingArgs {
    /// The postings' unique source identifiers, or their UUIDs
    #[arg(
        value_name = "ID",
        required_unless_present = "ids_from",
        value_parser = values::source_identifier
    )]
    ids: Vec<SourceIdentifier>,

    /// A file with more IDs, one per line; `-` is the standard input
    #[arg(long, value_name = "FILE")]
    ids_from: Option<PathBuf>,

    /// Only if the posting still has this version, which `postings show --json` gives
    #[arg(long, value_name = "N", conflicts_with = "ids_from")]
    version: Option<Version>,
    #[command(flatten)]
    lifetime: LifetimeArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

/// Applies a command to each posting, reports each outcome, and continues after failures.
pub async fn moderate(args: PostingArgs, command: Moderation) -> anyhow::Result<()> {
    let mut ids = args.ids;
    if let Some(file) = &args.ids_from {
        ids.extend(read(file)?);
    }
    if args.version.is_some() && ids.len() > 1 {
        let message = "--version needs exactly one ID";
        return Err(Misconfigured(message.to_owned()).into());
    }
    let (by, database, activities) = open(&args.change).await?;
    let mut failed = 0;
    let (store, lifetime, seen) = (&*database.store, args.lifetime.lifetime, args.version);
    for id in &ids {
        let moderated = async {
            let id = resolve(store, id).await?;
            let attempt =
                || usecase::moderate(store, &id, &command, seen, &by, lifetime, clock::now());
            anyhow::Ok(decide_again(COMMAND_PATIENCE, attempt).await?)
        };
        match moderated.await {
            Ok(posting) => output::print(sentence(&posting, &command))?,
            Err(error) if ids.len() == 1 => return Err(error),
            Err(error) => {
                failed += 1;
                output::print_error(format_args!("{}: {error:#}", text::plain(id.as_str())));
            }
        }
    }
    activities.write(&*database.activity).await;
    if failed > 0 {
        bail!("{failed} of {} postings could not be changed", ids.len());
    }
    Ok(())
}

/// Reads IDs, one per line. A bad line is refused before any change.
fn read(file: &Path) -> anyhow::Result<Vec<SourceIdentifier>> {
    let (lines, _) = input::open(file)?;
    let named = |number: usize| format!("{}, line {number}", file.display());
    let mut ids = Vec::new();
    for (number, line) in (1..).zip(lines.lines()) {
        let line = line.with_context(|| named(number))?;
        if !line.is_empty() {
            let id = values::source_identifier(&line);
            ids.push(id.map_err(|error| anyhow!("{}: {error}", named(number)))?);
        }
    }
    Ok(ids)
}

pub(super) fn sentence(posting: &Posting, command: &Moderation) -> String {
    let state = match command {
        Moderation::Feature(true) => "featured".to_owned(),
        Moderation::Feature(false) => "not featured".to_owned(),
        Moderation::Approve
        | Moderation::Reject { .. }
        | Moderation::Expire { .. }
        | Moderation::Reopen { .. } => posting.status().to_string(),
    };
    format!(
        "{} is {state}.",
        text::plain(posting.source_identifier.as_str())
    )
}
