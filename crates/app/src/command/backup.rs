//! `posthaste backup` and `restore`: the embedded database and the signing keys, in a folder.

use std::path::PathBuf;

use clap::Args;
use tokio::task;

use crate::{args::StoreArgs, database::embedded, output};

/// Copy the embedded database and the keys into a directory, while they are in use
///
/// On PostgreSQL only the keys are copied, and what backs up the rest is named
#[derive(Debug, Args)]
pub struct Backup {
    /// The directory of the backup; made if it is not there, else it must be empty
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

/// Put a backup in the place of an embedded database and keys that are gone
///
/// Nothing that is there is overwritten. On PostgreSQL only the keys are restored
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
