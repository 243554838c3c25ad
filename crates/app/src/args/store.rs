//! Options of commands on a database: the database, the operator, and the length of lists.

use std::path::{Path, PathBuf};

use clap::Args;
use cli::{json::JsonArgs, output};
use kernel::audit::Attribution;
use serde::Serialize;
use stores::Stores;
use tokens::KeyFolder;

use super::operator::OperatorArgs;
use crate::database::{
    self, embedded,
    url::{DatabaseUrl, database_url},
};

/// The environment file of the packages' units.
const INSTALLED: &str = "/etc/posthaste/posthaste.env";

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Storage")]
pub struct DataDirArgs {
    /// Directory of the database and the signing keys
    #[arg(long, value_name = "DIR", default_value = "./data")]
    pub data_dir: PathBuf,
}

impl DataDirArgs {
    pub fn keys(&self) -> PathBuf {
        self.data_dir.join("keys")
    }

    pub fn key_folder(&self) -> KeyFolder {
        KeyFolder::new(self.keys())
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Storage")]
pub struct StoreArgs {
    /// The database: `sqlite://PATH`, or `postgres://USER:PASSWORD@HOST/DATABASE?sslmode=…`.
    /// Default: `posthaste.db` in the data directory
    #[arg(
        long,
        value_name = "URL",
        env = "DATABASE_URL",
        hide_env_values = true,
        value_parser = database_url
    )]
    database_url: Option<DatabaseUrl>,

    #[command(flatten)]
    pub data_dir: DataDirArgs,
}

impl StoreArgs {
    pub fn database(&self) -> DatabaseUrl {
        let embedded = || DatabaseUrl::Sqlite(self.data_dir.data_dir.join("posthaste.db"));
        self.database_url.clone().unwrap_or_else(embedded)
    }

    pub async fn open(&self) -> anyhow::Result<Stores> {
        database::open(&self.database()).await
    }

    /// Opens the database, and creates a missing embedded one.
    pub async fn open_or_make(&self) -> anyhow::Result<Stores> {
        let (url, keys) = (self.database(), self.data_dir.keys());
        let made = embedded::missing(&url)?;
        let database = database::open_or_make(&url, &keys, false).await?;
        if let Some(path) = made {
            let installed = Path::new(INSTALLED);
            let hint = if installed.exists() {
                format!("; the installed service has those of {INSTALLED}")
            } else {
                String::new()
            };
            tracing::warn!(
                "created a new database, {}: a service on another one does not see its content. \
                 POSTHASTE_DATA_DIR or DATABASE_URL chooses another{hint}",
                path.display()
            );
        }
        Ok(database)
    }
}

// An operator who changes a database. Not a doc comment: clap would show it as the command's help.
#[derive(Clone, Debug, Args)]
pub struct ChangeArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

impl ChangeArgs {
    pub async fn open(&self) -> anyhow::Result<(Attribution, Stores)> {
        Ok((self.operator.attribution()?, self.store.open().await?))
    }
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Show at most this number of rows
    #[arg(long, value_name = "ROWS", default_value_t = 100)]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonArgs,
}

impl ListArgs {
    #[cfg(test)]
    pub const fn of(limit: usize, as_json: bool) -> Self {
        let json = JsonArgs { enabled: as_json };
        Self { limit, json }
    }

    /// One row more than the limit, which shows whether there are further rows.
    pub const fn most(&self) -> usize {
        self.limit.saturating_add(1)
    }

    /// Cuts rows at the limit. If there were more, returns a line that says so.
    pub fn cut<T>(&self, rows: &mut Vec<T>) -> Option<String> {
        let has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        output::more(has_more)
    }

    /// Prints records in columns. Without records, prints `nothing`, or if that is empty, headings.
    pub fn print(
        &self,
        columns: &'static str,
        records: &[impl Serialize],
        nothing: &str,
        more: Option<String>,
    ) -> anyhow::Result<()> {
        let mut list = output::List::new(self.json.enabled, columns, output::print);
        if nothing.is_empty() || !records.is_empty() {
            list.page(records)?;
        }
        list.end(nothing, more)
    }
}
