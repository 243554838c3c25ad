//! The store behind `DATABASE_URL`, as the ports that everything else talks to.

use std::{path::Path, sync::Arc};

use adapters_postgres::{PostgresOptions, PostgresStore, PostgresUrl};
use adapters_sqlite::SqliteStore;
use anyhow::{Context as _, bail};
use domain::{
    audit::AuditLog,
    client::Clients,
    enrichment::Drafts,
    outbox::Outbox,
    store::{Health, PostingReader, Store},
};
use newsletter::store::{Accounts, SubscriberReader};

use crate::{
    config::DatabaseUrl,
    embedded,
    metrics::Stores,
    worker::{Wake, WakingStore},
};

const CANNOT_OPEN: &str = "cannot open the database";
const CANNOT_MIGRATE: &str = "cannot migrate the database";

/// What to do about a schema that lacks migrations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// Apply them.
    Migrate,
    /// Apply them to the embedded store, which nobody else uses. Refuse to use another one: who
    /// runs it decides when its tables change.
    MigrateEmbedded,
}

/// The ports of one store.
#[derive(Clone)]
pub struct Database {
    pub store: Arc<dyn Store>,
    pub newsletter: Arc<dyn newsletter::store::Store>,
    pub postings: Arc<dyn PostingReader>,
    pub subscribers: Arc<dyn SubscriberReader>,
    pub outbox: Arc<dyn Outbox>,
    pub accounts: Arc<dyn Accounts>,
    pub clients: Arc<dyn Clients>,
    pub drafts: Arc<dyn Drafts>,
    pub audit: Arc<dyn AuditLog>,
    pub health: Arc<dyn Health>,
}

impl Database {
    /// Takes one store for every port.
    pub fn of<T>(store: &Arc<T>) -> Self
    where
        T: Store
            + newsletter::store::Store
            + PostingReader
            + SubscriberReader
            + Outbox
            + Accounts
            + Clients
            + Drafts
            + AuditLog
            + Health
            + 'static,
    {
        Self {
            store: Arc::clone(store) as _,
            newsletter: Arc::clone(store) as _,
            postings: Arc::clone(store) as _,
            subscribers: Arc::clone(store) as _,
            outbox: Arc::clone(store) as _,
            accounts: Arc::clone(store) as _,
            clients: Arc::clone(store) as _,
            drafts: Arc::clone(store) as _,
            audit: Arc::clone(store) as _,
            health: Arc::clone(store) as _,
        }
    }

    /// The same, with commits that wake a worker.
    pub fn waking(self, wake: &Arc<Wake>) -> Self {
        Self {
            store: Arc::new(WakingStore::new(self.store, Arc::clone(wake))),
            newsletter: Arc::new(WakingStore::new(self.newsletter, Arc::clone(wake))),
            ..self
        }
    }

    /// What metrics are made of.
    pub fn for_metrics(&self) -> Stores {
        Stores {
            outbox: Arc::clone(&self.outbox),
            health: Arc::clone(&self.health),
            subscribers: Arc::clone(&self.subscribers),
            accounts: Arc::clone(&self.accounts),
        }
    }

    /// Opens a database that is there, with a current schema.
    pub async fn open(url: &DatabaseUrl) -> anyhow::Result<Self> {
        embedded::require(url)?;
        Self::open_or(url, Outdated::MigrateEmbedded).await
    }

    /// The same, but makes the embedded database if there never was one beside these keys.
    pub async fn open_or_make(
        url: &DatabaseUrl,
        keys: &Path,
        outdated: Outdated,
    ) -> anyhow::Result<Self> {
        embedded::require_no_trace(url, keys)?;
        let database = Self::open_or(url, outdated).await?;
        embedded::forget_first_keys(url, keys);
        Ok(database)
    }

    /// Opens a database with a current schema, or does about an outdated one what is asked for.
    async fn open_or(url: &DatabaseUrl, outdated: Outdated) -> anyhow::Result<Self> {
        if let (DatabaseUrl::Postgres(url), Outdated::MigrateEmbedded) = (url, outdated) {
            let (store, pending) = open_postgres(url).await?;
            if !pending.is_empty() {
                bail!(
                    "the schema of the database lacks {}; run `posthaste migrate` first, or \
                     `posthaste serve --migrate`",
                    pending.join(", ")
                );
            }
            return Ok(Self::of(&store));
        }
        let (database, applied) = Self::migrate(url).await?;
        for migration in applied {
            tracing::info!(migration, "applied");
        }
        Ok(database)
    }

    /// Opens a database that is there as it is, and says which migrations its schema lacks.
    pub async fn open_as_it_is(url: &DatabaseUrl) -> anyhow::Result<(Self, Vec<String>)> {
        embedded::require(url)?;
        match url {
            DatabaseUrl::Sqlite(path) => {
                let store = Arc::new(SqliteStore::open(path).context(CANNOT_OPEN)?);
                let pending = store.pending_migrations().await.context(CANNOT_OPEN)?;
                Ok((Self::of(&store), pending))
            }
            DatabaseUrl::Postgres(url) => {
                let (store, pending) = open_postgres(url).await?;
                Ok((Self::of(&store), pending))
            }
        }
    }

    /// Opens a database, applies pending migrations, and says which they were. The embedded
    /// database is made if there is none.
    pub async fn migrate(url: &DatabaseUrl) -> anyhow::Result<(Self, Vec<String>)> {
        match url {
            DatabaseUrl::Sqlite(path) => {
                let store = Arc::new(SqliteStore::open(path).context(CANNOT_OPEN)?);
                let applied = store.migrate().await.context(CANNOT_MIGRATE)?;
                Ok((Self::of(&store), applied))
            }
            DatabaseUrl::Postgres(url) => {
                let store = PostgresStore::open(url, &PostgresOptions::default())
                    .await
                    .context(CANNOT_OPEN)?;
                let applied = store.migrate().await.context(CANNOT_MIGRATE)?;
                Ok((Self::of(&Arc::new(store)), applied))
            }
        }
    }
}

/// Opens a database of a server, and says which migrations its schema lacks.
async fn open_postgres(url: &PostgresUrl) -> anyhow::Result<(Arc<PostgresStore>, Vec<String>)> {
    let store = PostgresStore::open(url, &PostgresOptions::default())
        .await
        .context(CANNOT_OPEN)?;
    let pending = store.pending_migrations().await.context(CANNOT_OPEN)?;
    Ok((Arc::new(store), pending))
}
