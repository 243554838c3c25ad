use std::path::PathBuf;

use clap::Args;
use tokio::task;

use crate::{args::StoreArgs, database::embedded, output};

/// Copy the embedded database and the keys into a directory, while they are in use
///
/// On PostgreSQL, copies only the keys, and names the tools that back up the rest
#[derive(Debug, Args)]
pub struct Backup {
    /// The directory of the backup. A missing one is created; an existing one must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

impl Backup {
    pub async fn run(self) -> anyhow::Result<()> {
        let url = self.store.database();
        embedded::require(&url)?;
        let keys = self.store.data_dir.key_folder();
        output::print(::backup::make(url.file(), &keys, &self.folder).await?)
    }
}

/// Restore a lost embedded database and lost keys from a backup
///
/// Overwrites nothing. On PostgreSQL, restores only the keys
#[derive(Debug, Args)]
pub struct Restore {
    /// The directory of the backup
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

impl Restore {
    pub async fn run(self) -> anyhow::Result<()> {
        let (url, keys) = (self.store.database(), self.store.data_dir.keys());
        let restore = move || ::backup::restore(&self.folder, url.file(), &keys);
        output::print(task::spawn_blocking(restore).await??)
    }
}
