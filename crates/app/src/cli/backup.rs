//! The options of `backup` and `restore`.

use std::path::PathBuf;

use clap::Args;

use super::StoreArgs;

#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The directory of the backup; made if it is not there, else it must be empty
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The directory of the backup
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub store: StoreArgs,
}
