//! `posthaste migrate`.

use std::process::ExitCode;

use crate::{cli::StoreArgs, database::Database, output};

/// Applies pending migrations and prints them.
pub async fn run(store: &StoreArgs) -> anyhow::Result<ExitCode> {
    let (_, applied) = Database::migrate(&store.database()).await?;
    if applied.is_empty() {
        output::print("The schema is current.")?;
    }
    for migration in applied {
        output::print(format_args!("Applied {migration}."))?;
    }
    Ok(ExitCode::SUCCESS)
}
