//! The options of `backup`, `restore` and `copy`.

use std::path::PathBuf;

use clap::Args;

use super::StoreArgs;
use crate::config::{self, DatabaseUrl};

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

#[derive(Debug, Args)]
pub struct CopyArgs {
    /// The PostgreSQL database: empty, or with a copy that broke off
    #[arg(
        long,
        value_name = "URL",
        env = "POSTHASTE_COPY_TO",
        hide_env_values = true,
        value_parser = config::database_url
    )]
    pub to: DatabaseUrl,

    /// Rows that are written at a time
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_COPY_BATCH",
        default_value = "500",
        value_parser = config::copy_batch
    )]
    pub batch: usize,
    #[command(flatten)]
    pub store: StoreArgs,
}
