//! Opens the store behind `DATABASE_URL`, and returns its [`Stores`].

pub mod embedded;
pub mod url;

use std::{path::Path, sync::Arc};

use adapters_postgres::{PostgresOptions, PostgresStore};
use adapters_sqlite::SqliteStore;
use anyhow::{Context as _, ensure};
use runtime::clock;
use stores::Stores;

use self::url::DatabaseUrl;

const CANNOT_OPEN: &str = "cannot open the database";
const CANNOT_OPEN_POSTGRES: &str = "DATABASE_URL: cannot open the database";

/// Fails if an embedded store is read-only. PostgreSQL is not checked: a standby may become
/// primary.
pub async fn check_embedded(stores: &Stores, url: &DatabaseUrl) -> anyhow::Result<()> {
    if url.is_embedded() {
        let ready = stores.health.ready().await;
        ready.context("the database cannot be written")?;
    }
    Ok(())
}

/// Opens an existing database. Migrates an embedded one; refuses an outdated PostgreSQL one.
pub async fn open(url: &DatabaseUrl) -> anyhow::Result<Stores> {
    embedded::require(url)?;
    open_current(url, false).await
}

/// Opens a current database. Creates an embedded one unless keys or other files show an earlier
/// one.
pub async fn open_or_make(
    url: &DatabaseUrl,
    keys: &Path,
    migrates: bool,
) -> anyhow::Result<Stores> {
    embedded::require_no_trace(url, keys)?;
    open_current(url, migrates).await
}

/// Opens a current database. This process migrates an embedded one, which it owns; the operator
/// decides when to migrate PostgreSQL.
async fn open_current(url: &DatabaseUrl, migrates: bool) -> anyhow::Result<Stores> {
    let opened = Opened::at(url).await?;
    if url.is_embedded() || migrates {
        for migration in opened.migrate().await? {
            tracing::info!(migration, "applied");
        }
    } else {
        let pending = opened.pending().await?;
        ensure!(
            pending.is_empty(),
            "the schema of the database lacks {}; run `posthaste migrate` first, or \
             `posthaste serve --migrate`",
            pending.join(", ")
        );
    }
    opened.stores().await
}

/// Opens an existing database without migrating it. Returns its pending migrations.
pub async fn open_as_it_is(url: &DatabaseUrl) -> anyhow::Result<(Stores, Vec<String>)> {
    embedded::require(url)?;
    let opened = Opened::at(url).await?;
    let pending = opened.pending().await?;
    Ok((opened.stores().await?, pending))
}

pub async fn migrate(url: &DatabaseUrl) -> anyhow::Result<Vec<String>> {
    Opened::at(url).await?.migrate().await
}

enum Opened {
    Sqlite(Arc<SqliteStore>),
    Postgres(Arc<PostgresStore>),
}

impl Opened {
    async fn at(url: &DatabaseUrl) -> anyhow::Result<Self> {
        Ok(match url {
            DatabaseUrl::Sqlite(path) => {
                Self::Sqlite(Arc::new(SqliteStore::open(path).context(CANNOT_OPEN)?))
            }
            DatabaseUrl::Postgres(url) => {
                let store = PostgresStore::open(url, &PostgresOptions::default()).await;
                Self::Postgres(Arc::new(store.context(CANNOT_OPEN_POSTGRES)?))
            }
        })
    }

    async fn pending(&self) -> anyhow::Result<Vec<String>> {
        match self {
            Self::Sqlite(store) => store.pending_migrations().await.context(CANNOT_OPEN),
            Self::Postgres(store) => {
                let pending = store.pending_migrations().await;
                pending.context(CANNOT_OPEN_POSTGRES)
            }
        }
    }

    async fn migrate(&self) -> anyhow::Result<Vec<String>> {
        let applied = match self {
            Self::Sqlite(store) => store.migrate().await,
            Self::Postgres(store) => store.migrate().await,
        };
        applied.context("cannot migrate the database")
    }

    /// The ports. From now on [`clock::now`] follows the store's clock.
    async fn stores(&self) -> anyhow::Result<Stores> {
        let stores = match self {
            Self::Sqlite(store) => Stores::of(store),
            Self::Postgres(store) => Stores::of(store),
        };
        let measured = clock::measure(&*stores.clock).await;
        measured.context("the database's clock cannot be read")?;
        Ok(stores)
    }
}
