//! `posthaste postings approve`, `reject`, `expire`, `reopen` and `feature`: an operator's word on
//! one posting or many.

use std::{io::BufRead as _, path::Path, process::ExitCode, sync::Arc};

use anyhow::{Context as _, anyhow, bail};
use domain::{
    posting::{Lifetime, Posting, moderation::Moderation},
    store::Store,
};
use kernel::{SourceIdentifier, Version, audit::Attribution};
use workers::Activities;

use super::named::resolve;
use crate::{
    cli::PostingArgs, config, database::Database, input, misconfigured::Misconfigured, operators,
    output, text,
};

/// Carries a command out on each posting, says what became of each, and goes on after a failure.
pub async fn run(args: PostingArgs, command: Moderation) -> anyhow::Result<ExitCode> {
    let by = args.operator.attribution()?;
    let mut ids = args.ids;
    if let Some(file) = &args.ids_from {
        ids.extend(read(file)?);
    }
    if args.version.is_some() && ids.len() > 1 {
        let message = "--version is of one posting; name one ID with it";
        return Err(Misconfigured(message.to_owned()).into());
    }
    let activities = Arc::<Activities>::default();
    let database = Database::open(&args.store.database()).await?;
    let database = database.observed(&Arc::default(), &activities, &None);
    let mut failed = 0;
    for id in &ids {
        match one(
            &*database.store,
            id,
            &command,
            args.version,
            &by,
            args.lifetime.lifetime,
        )
        .await
        {
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
    Ok(ExitCode::SUCCESS)
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
