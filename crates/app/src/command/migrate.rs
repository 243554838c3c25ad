use clap::Args;

use crate::{args::StoreArgs, database, output};

/// Apply pending migrations to the database
#[derive(Debug, Args)]
pub struct Migrate {
    #[command(flatten)]
    pub store: StoreArgs,
}

impl Migrate {
    pub async fn run(self) -> anyhow::Result<()> {
        let applied = database::migrate(&self.store.database()).await?;
        if applied.is_empty() {
            output::print("The schema is current.")?;
        }
        for migration in applied {
            output::print(format_args!("Applied {migration}."))?;
        }
        Ok(())
    }
}
