//! `posthaste subscribers`: an operator looks at newsletter subscribers, takes them in from a
//! file, moves them to the e-mail provider's new account, erases them, and writes them out.

mod erase;
mod export;
mod import;
mod migrate;
mod reconcile;
mod show;

use std::process::ExitCode;

use crate::{
    cli::{SubscribersCommand, SubscribersEraseArgs, SubscribersShowArgs},
    clock,
    database::Database,
    output,
};

/// The columns that an import reads and an export writes.
const COLUMNS: [&str; 6] = [
    "email",
    "name",
    "country",
    "plan_category",
    "status",
    "expires_at",
];
/// The column that an export adds. An import reads over it: a token is given once.
const TOKEN: &str = "migration_token";

/// Carries out a command.
pub async fn run(command: SubscribersCommand) -> anyhow::Result<ExitCode> {
    match command {
        SubscribersCommand::Show(SubscribersShowArgs { email, json, store }) => {
            let database = Database::open(&store.database()).await?;
            output::print(show::show(&*database.store, &email, json.enabled).await?)?;
        }
        SubscribersCommand::Import(args) => return import::run(args).await,
        SubscribersCommand::Migrate(args) => return migrate::run(args).await,
        SubscribersCommand::Reconcile(args) => return reconcile::run(args).await,
        SubscribersCommand::Erase(SubscribersEraseArgs { email, store }) => {
            let database = Database::open(&store.database()).await?;
            let said = erase::erase(&*database.store, &email, &clock::system()).await?;
            output::print(said)?;
        }
        SubscribersCommand::Export(store) => {
            let database = Database::open(&store.database()).await?;
            export::export(&*database.subscribers, output::print_lines).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
