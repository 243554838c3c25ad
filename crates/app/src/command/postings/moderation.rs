//! `posthaste postings approve`, `reject`, `expire`, `reopen` and `feature`: an operator's word on
//! one posting or many.

use std::{
    io::BufRead as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use domain::{
    posting::{Lifetime, Posting, moderation::Moderation},
    store::Store,
};
use kernel::{SourceIdentifier, Version, audit::Attribution};
use workers::Activities;

use super::named::resolve;
use crate::{
    cli::{LifetimeArgs, OperatorArgs, StoreArgs},
    config, input,
    misconfigured::Misconfigured,
    operators, output, text,
};

/// Approve postings; no enricher overrules it
#[derive(Debug, Args)]
pub struct Approve {
    #[command(flatten)]
    postings: PostingArgs,
}

impl Approve {
    pub async fn run(self) -> anyhow::Result<()> {
        self.postings.moderate(Moderation::Approve).await
    }
}

/// Reject postings; no enricher overrules it
#[derive(Debug, Args)]
pub struct Reject {
    #[command(flatten)]
    args: ReasonArgs,
}

impl Reject {
    pub async fn run(self) -> anyhow::Result<()> {
        let ReasonArgs { reason, postings } = self.args;
        postings.moderate(Moderation::Reject { reason }).await
    }
}

/// Take postings down; only an operator brings them back
#[derive(Debug, Args)]
pub struct Expire {
    #[command(flatten)]
    args: ReasonArgs,
}

impl Expire {
    pub async fn run(self) -> anyhow::Result<()> {
        let ReasonArgs { reason, postings } = self.args;
        postings.moderate(Moderation::Expire { reason }).await
    }
}

/// Bring expired postings back, to be judged anew
#[derive(Debug, Args)]
pub struct Reopen {
    #[command(flatten)]
    args: ReasonArgs,
}

impl Reopen {
    pub async fn run(self) -> anyhow::Result<()> {
        let ReasonArgs { reason, postings } = self.args;
        postings.moderate(Moderation::Reopen { reason }).await
    }
}

/// Feature postings
#[derive(Debug, Args)]
pub struct Feature {
    /// Feature it no longer
    #[arg(long, env = "POSTHASTE_POSTINGS_OFF")]
    off: bool,
    #[command(flatten)]
    postings: PostingArgs,
}

impl Feature {
    pub async fn run(self) -> anyhow::Result<()> {
        self.postings.moderate(Moderation::Feature(!self.off)).await
    }
}

#[derive(Debug, Args)]
struct ReasonArgs {
    /// Why, for the integrator to read
    #[arg(
        long,
        value_name = "REASON",
        env = "POSTHASTE_POSTINGS_REASON",
        value_parser = config::reason
    )]
    reason: String,
    #[command(flatten)]
    postings: PostingArgs,
}

#[derive(Debug, Args)]
struct PostingArgs {
    /// The postings' unique source identifiers, or their UUIDs
    #[arg(
        value_name = "ID",
        required_unless_present = "ids_from",
        value_parser = config::source_identifier
    )]
    ids: Vec<SourceIdentifier>,

    /// More IDs, one a line, from a file; `-` is the standard input
    #[arg(long, value_name = "FILE", env = "POSTHASTE_POSTINGS_IDS_FROM")]
    ids_from: Option<PathBuf>,

    /// Only if the posting still has this version, which `postings show --json` gives
    #[arg(
        long,
        value_name = "N",
        env = "POSTHASTE_POSTINGS_VERSION",
        conflicts_with = "ids_from"
    )]
    version: Option<Version>,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    lifetime: LifetimeArgs,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl PostingArgs {
    /// Carries a command out on each posting, says what became of each, and goes on after a failure.
    async fn moderate(self, command: Moderation) -> anyhow::Result<()> {
        let by = self.operator.attribution()?;
        let mut ids = self.ids;
        if let Some(file) = &self.ids_from {
            ids.extend(read(file)?);
        }
        if self.version.is_some() && ids.len() > 1 {
            let message = "--version is of one posting; name one ID with it";
            return Err(Misconfigured(message.to_owned()).into());
        }
        let activities = Arc::<Activities>::default();
        let database = self.store.open().await?;
        let database = database.observed(&Arc::default(), &activities, &None);
        let mut failed = 0;
        for id in &ids {
            let (store, lifetime) = (&*database.store, self.lifetime.lifetime);
            match one(store, id, &command, self.version, &by, lifetime).await {
                Ok(posting) => output::print(sentence(&posting, &command))?,
                Err(error) if ids.len() == 1 => return Err(error),
                Err(error) => {
                    failed += 1;
                    output::complain(format_args!("{}: {error:#}", text::plain(id.as_str())));
                }
            }
        }
        activities.write(&*database.activity).await;
        if failed > 0 {
            bail!("{failed} of {} postings could not be changed", ids.len());
        }
        Ok(())
    }
}

async fn one(
    store: &dyn Store,
    id: &SourceIdentifier,
    command: &Moderation,
    seen: Option<Version>,
    by: &Attribution,
    lifetime: Lifetime,
) -> anyhow::Result<Posting> {
    let id = resolve(store, id).await?;
    Ok(operators::moderate(store, &id, command, seen, by, lifetime).await?)
}

/// The IDs of a file, one a line. A bad line is refused before anything is changed.
fn read(file: &Path) -> anyhow::Result<Vec<SourceIdentifier>> {
    let (lines, _) = input::open(file)?;
    let named = |number: usize| format!("{}, line {number}", file.display());
    let mut ids = Vec::new();
    for (number, line) in (1..).zip(lines.lines()) {
        let line = line.with_context(|| named(number))?;
        if !line.is_empty() {
            let id = config::source_identifier(&line);
            ids.push(id.map_err(|error| anyhow!("{}: {error}", named(number)))?);
        }
    }
    Ok(ids)
}

/// A sentence about the posting's new state.
pub(super) fn sentence(posting: &Posting, command: &Moderation) -> String {
    let state = match command {
        Moderation::Feature(true) => "featured".to_owned(),
        Moderation::Feature(false) => "not featured".to_owned(),
        Moderation::Approve
        | Moderation::Reject { .. }
        | Moderation::Expire { .. }
        | Moderation::Reopen { .. } => posting.status.to_string(),
    };
    format!(
        "{} is {state}.",
        text::plain(posting.source_identifier.as_str())
    )
}
