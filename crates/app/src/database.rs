//! The store behind `DATABASE_URL`, as the ports that everything else talks to.

use std::sync::Arc;

use adapters_sqlite::SqliteStore;
use anyhow::Context as _;
use domain::{
    client::Clients,
    outbox::Outbox,
    store::{Health, PostingReader, Store},
};

use crate::config::DatabaseUrl;

/// The ports of one store.
#[derive(Clone)]
pub struct Database {
    pub store: Arc<dyn Store>,
    pub postings: Arc<dyn PostingReader>,
    pub outbox: Arc<dyn Outbox>,
    pub clients: Arc<dyn Clients>,
    pub health: Arc<dyn Health>,
}

impl Database {
    /// Takes one store for every port.
    pub fn of<T>(store: &Arc<T>) -> Self
    where
        T: Store + PostingReader + Outbox + Clients + Health + 'static,
    {
        Self {
            store: Arc::clone(store) as _,
            postings: Arc::clone(store) as _,
            outbox: Arc::clone(store) as _,
            clients: Arc::clone(store) as _,
            health: Arc::clone(store) as _,
        }
    }

    /// Opens a database with a current schema: the embedded store is created when there is
    /// none, and brought up to date when it is not.
    pub async fn open(url: &DatabaseUrl) -> anyhow::Result<Self> {
        let (database, applied) = Self::migrate(url).await?;
        for migration in applied {
            tracing::info!(migration, "applied");
        }
        Ok(database)
    }

    /// Opens a database, applies pending migrations, and says which they were.
    pub async fn migrate(url: &DatabaseUrl) -> anyhow::Result<(Self, Vec<String>)> {
        match url {
            DatabaseUrl::Sqlite(path) => {
                let store = Arc::new(SqliteStore::open(path).context("cannot open the database")?);
                let applied = store
                    .migrate()
                    .await
                    .context("cannot migrate the database")?;
                Ok((Self::of(&store), applied))
            }
        }
    }
}
