//! `posthaste subscribers`: lets an operator show, import, move, export, erase, suppress and
//! reinstate newsletter subscribers.
//!
//! - [`intake`] imports CSV files for [`import`] and [`suppressions`]; [`records`] parses their
//!   records.

mod export;
mod import;
mod intake;
mod migrate;
mod reconcile;
mod records;
mod show;
mod suppressions;

use std::process::ExitCode;

use newsletter::usecase::{PersonCommand, PersonRef};

use runtime::clock;

use crate::{
    cli::{
        OperatorArgs, StoreArgs, SubscribersCommand, SubscribersDecideArgs, SubscribersEraseArgs,
        SubscribersShowArgs, SuppressionsCommand,
    },
    database::Database,
    operators, output,
};

/// Runs a subcommand.
pub async fn run(command: SubscribersCommand) -> anyhow::Result<ExitCode> {
    match command {
        SubscribersCommand::Show(SubscribersShowArgs {
            person,
            json,
            store,
        }) => {
            let database = Database::open(&store.database()).await?;
            let (store, outbox) = (&*database.newsletter, &*database.outbox);
            output::print(show::show(store, outbox, &person, json.enabled).await?)?;
        }
        SubscribersCommand::Import(args) => return import::run(args).await,
        SubscribersCommand::Migrate(args) => return migrate::run(args).await,
        SubscribersCommand::Reconcile(args) => return reconcile::run(args).await,
        SubscribersCommand::Erase(SubscribersEraseArgs {
            person,
            store,
            operator,
        }) => decide(&person, &PersonCommand::Erase, &store, &operator).await?,
        SubscribersCommand::Export(store) => {
            let database = Database::open(&store.database()).await?;
            export::export(&*database.subscribers, output::print_lines).await?;
        }
        SubscribersCommand::Suppress(args) => {
            decide_with_reason(args, |reason| PersonCommand::Suppress { reason }).await?;
        }
        SubscribersCommand::Reinstate(args) => {
            decide_with_reason(args, |reason| PersonCommand::Reinstate { reason }).await?;
        }
        SubscribersCommand::RotateToken(args) => {
            decide_with_reason(args, |reason| PersonCommand::RotateToken { reason }).await?;
        }
        SubscribersCommand::Suppressions(SuppressionsCommand::Import(args)) => {
            return suppressions::import(args).await;
        }
        SubscribersCommand::Suppressions(SuppressionsCommand::Export(store)) => {
            let database = Database::open(&store.database()).await?;
            suppressions::export(&*database.subscribers, output::print_lines).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn decide_with_reason(
    args: SubscribersDecideArgs,
    command: impl FnOnce(String) -> PersonCommand,
) -> anyhow::Result<()> {
    let command = command(args.reason);
    decide(&args.person, &command, &args.store, &args.operator).await
}

/// Carries out a command about a person, and prints what became of it.
async fn decide(
    person: &PersonRef,
    command: &PersonCommand,
    store: &StoreArgs,
    operator: &OperatorArgs,
) -> anyhow::Result<()> {
    let by = operator.attribution()?;
    let store = Database::open(&store.database()).await?.newsletter;
    let clock = clock::system();
    let decided = operators::decide_about(&*store, &clock, person, command, &by);
    output::print(decided.await?)
}
