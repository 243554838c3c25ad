//! `posthaste migrate`.

use std::process::ExitCode;

use crate::{cli::StoreArgs, database::Database, embedded, output};

/// Applies pending migrations and prints them.
pub async fn run(store: &StoreArgs) -> anyhow::Result<ExitCode> {
    let url = store.database();
    let (_, applied) = Database::migrate(&url).await?;
    embedded::forget_first_keys(&url, &store.data_dir.keys());
    if applied.is_empty() {
        output::print("The schema is current.")?;
    }
    for migration in applied {
        output::print(format_args!("Applied {migration}."))?;
    }
    Ok(ExitCode::SUCCESS)
}
