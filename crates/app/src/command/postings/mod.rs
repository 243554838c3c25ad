//! `posthaste postings`: lets an operator list, show, moderate, erase and purge postings.

mod list;
mod moderation;
mod named;
mod purge;
mod show;

#[cfg(test)]
mod tests;

use std::process::ExitCode;

use anyhow::bail;
use domain::{
    posting::{Rejection, moderation::Moderation},
    store::PostingReader,
    usecase::ModerationError,
};
use kernel::{SourceIdentifier, Version};
use runtime::clock;
use serde::Serialize;

use self::{list::Listing, named::resolve, purge::Purging};
use crate::{
    cli::{
        PostingsCommand, PostingsEraseArgs, PostingsFeatureArgs, PostingsPurgeArgs,
        PostingsReasonArgs, PostingsShowArgs,
    },
    database::Database,
    operators, output, text,
};

/// Runs a subcommand.
pub async fn run(command: PostingsCommand) -> anyhow::Result<ExitCode> {
    match command {
        PostingsCommand::List(args) => {
            let database = Database::open(&args.store.database()).await?;
            let listing = Listing::of(&args, &*database.clients).await?;
            listing.hand_over(&*database.browser, output::print).await?;
        }
        PostingsCommand::Show(PostingsShowArgs { id, json, store }) => {
            let database = Database::open(&store.database()).await?;
            let id = resolve(&*database.store, &id).await?;
            output::print(show(&*database.postings, &id, json.enabled).await?)?;
        }
        PostingsCommand::Approve(args) => return moderation::run(args, Moderation::Approve).await,
        PostingsCommand::Reject(PostingsReasonArgs { reason, posting }) => {
            return moderation::run(posting, Moderation::Reject { reason }).await;
        }
        PostingsCommand::Expire(PostingsReasonArgs { reason, posting }) => {
            return moderation::run(posting, Moderation::Expire { reason }).await;
        }
        PostingsCommand::Reopen(PostingsReasonArgs { reason, posting }) => {
            return moderation::run(posting, Moderation::Reopen { reason }).await;
        }
        PostingsCommand::Feature(PostingsFeatureArgs { off, posting: args }) => {
            return moderation::run(args, Moderation::Feature(!off)).await;
        }
        PostingsCommand::Erase(args) => erase(args).await?,
        PostingsCommand::Purge(args) => purge(args).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn erase(args: PostingsEraseArgs) -> anyhow::Result<()> {
    let by = args.operator.attribution()?;
    let database = Database::open(&args.store.database()).await?;
    let (store, retention) = (&*database.store, &*database.retention);
    let id = resolve(store, &args.id).await?;
    let named = text::plain(id.as_str());
    let erased = operators::erase_posting(store, retention, &id, &args.reason, &by).await;
    match erased {
        Ok(true) => output::print(format!("{named} is erased.")),
        Ok(false) => bail!(
            "{named} is erased, but its words are still in the database's write-ahead log, which \
             is in use; run the command again, which then finds no posting and empties the log"
        ),
        Err(ModerationError::Rejected(_)) => bail!("there is no posting {named}"),
        Err(error) => Err(error.into()),
    }
}

async fn purge(args: PostingsPurgeArgs) -> anyhow::Result<()> {
    let now = clock::system()();
    let purging = Purging {
        before: args.expired_before.time(now)?,
        dry_run: args.dry_run,
        archive: args.archive,
        by: args.operator.attribution()?,
        now,
    };
    let database = Database::open(&args.store.database()).await?;
    let summary = purging
        .run(&*database.postings, &*database.retention)
        .await?;
    if args.json.enabled {
        output::print_json(&summary)
    } else {
        output::print(summary.sentence())
    }
}

/// A posting as the API shows it, with the version that a command may name.
#[derive(Serialize)]
struct Shown<T> {
    #[serde(flatten)]
    posting: T,
    version: Version,
}

async fn show(
    postings: &dyn PostingReader,
    id: &SourceIdentifier,
    as_json: bool,
) -> anyhow::Result<String> {
    let Some(view) = postings.find(id).await? else {
        bail!(Rejection::NotFound);
    };
    if as_json {
        Ok(output::json(&Shown {
            posting: adapters_http::posting_data(&view),
            version: view.posting.version,
        })?)
    } else {
        Ok(show::text(&view))
    }
}
