//! `posthaste subscribers`: lets an operator show, import, move, export, erase, suppress and
//! reinstate newsletter subscribers.
//!
//! - [`intake`] imports CSV files for [`import`] and [`suppressions`]; [`records`] parses their
//!   records.
//! - [`person`] resolves an address or a UUID to a subscriber.

mod erase;
mod export;
mod import;
mod intake;
mod migrate;
mod person;
mod reconcile;
mod records;
mod show;
mod suppress;
mod suppressions;

use std::process::ExitCode;

use self::suppress::Decision;
pub use self::{
    erase::erase,
    person::NOT_FOUND,
    suppress::{reinstate, suppress},
};
use crate::{
    cli::{SubscribersCommand, SubscribersEraseArgs, SubscribersShowArgs, SuppressionsCommand},
    clock,
    database::Database,
    output,
};

/// The columns of an import and an export.
const COLUMNS: [&str; 6] = [
    "email",
    "name",
    "country",
    "plan_category",
    "status",
    "expires_at",
];
/// The column that an export adds. An import ignores it: a token is assigned once.
const TOKEN: &str = "migration_token";

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
        }) => {
            let by = operator.attribution()?;
            let store = Database::open(&store.database()).await?.newsletter;
            let said = erase(&*store, &clock::system(), &person, &by).await?;
            output::print(said)?;
        }
        SubscribersCommand::Export(store) => {
            let database = Database::open(&store.database()).await?;
            export::export(&*database.subscribers, output::print_lines).await?;
        }
        SubscribersCommand::Suppress(args) => {
            output::print(suppress::run(args, Decision::Suppress).await?)?;
        }
        SubscribersCommand::Reinstate(args) => {
            output::print(suppress::run(args, Decision::Reinstate).await?)?;
        }
        SubscribersCommand::RotateToken(args) => {
            output::print(suppress::run(args, Decision::RotateToken).await?)?;
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
