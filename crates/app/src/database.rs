//! The store behind `DATABASE_URL`, as the ports of the domain.

use std::{path::Path, sync::Arc};

use ::webhooks::Webhooks;
use access::{ActivityLog, Clients, sign_in::SignInTokens};
use adapters_mailerlite::Settings;
use adapters_postgres::{PostgresOptions, PostgresStore, PostgresUrl};
use adapters_prometheus::{NewsletterStores, Stores, backlog_of};
use adapters_sqlite::SqliteStore;
use anyhow::{Context as _, bail};
use domain::{
    browse::PostingBrowser,
    catalogue::Catalogues,
    company::CompanyReader,
    store::{Health, LockedRows, PostingReader, ReplicaPosition, Retention, Store, StoreClock},
};
use enrichment::DraftCache;
use kernel::{audit::AuditLog, event::EventLog, outbox::Outbox, trace::OptionalTracer};
use newsletter::store::{Accounts, SubscriberReader};
use workers::{Activities, ObservedStore, Observer, Wake};

use crate::{database_url::DatabaseUrl, embedded};

const CANNOT_OPEN: &str = "cannot open the database";
const CANNOT_OPEN_POSTGRES: &str = "DATABASE_URL: cannot open the database";
const CANNOT_MIGRATE: &str = "cannot migrate the database";

/// The treatment of a schema that lacks migrations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// Apply the migrations.
    Migrate,
    /// Apply them to the embedded store, which belongs to this process. Refuse to open an outdated
    /// PostgreSQL database: its operator decides when tables change.
    MigrateEmbedded,
}

/// Declares the ports of a database, all of which a store implements.
macro_rules! ports {
    ($($name:ident: $port:path,)*) => {
        /// The ports of one store.
        #[derive(Clone)]
        pub struct Database {
            $(pub $name: Arc<dyn $port>,)*
        }

        impl Database {
            /// Uses one store for every port.
            pub fn of<T: $($port +)* 'static>(store: &Arc<T>) -> Self {
                Self { $($name: Arc::clone(store) as _,)* }
            }
        }
    };
}

ports! {
    store: Store,
    newsletter: newsletter::store::Store,
    postings: PostingReader,
    subscribers: SubscriberReader,
    outbox: Outbox,
    events: EventLog,
    webhooks: Webhooks,
    accounts: Accounts,
    catalogues: Catalogues,
    clients: Clients,
    sign_in_tokens: SignInTokens,
    browser: PostingBrowser,
    companies: CompanyReader,
    retention: Retention,
    activity: ActivityLog,
    drafts: DraftCache,
    audit: AuditLog,
    health: Health,
    clock: StoreClock,
    position: ReplicaPosition,
    locks: LockedRows,
}

impl Database {
    /// The same ports, with a store whose commits wake a worker, are noticed as activity, and have
    /// spans.
    pub fn observed(
        self,
        wake: &Arc<Wake>,
        activities: &Arc<Activities>,
        tracer: &OptionalTracer,
    ) -> Self {
        let observer = Observer {
            wake: Arc::clone(wake),
            activities: Arc::clone(activities),
            tracer: tracer.clone(),
        };
        Self {
            store: Arc::new(ObservedStore::new(self.store, observer.clone())),
            newsletter: Arc::new(ObservedStore::new(self.newsletter, observer)),
            ..self
        }
    }

    /// Fails if an embedded store cannot be written. A PostgreSQL server may be about to become the
    /// primary, so it is not checked.
    pub async fn check_embedded(&self, url: &DatabaseUrl) -> anyhow::Result<()> {
        if url.is_embedded() {
            let ready = self.health.ready().await;
            ready.context("the database cannot be written")?;
        }
        Ok(())
    }

    /// The ports that the metrics page reads. Those of the newsletter count while an account has a
    /// key.
    pub fn for_metrics(&self, accounts: &Settings) -> Stores {
        Stores {
            backlog: backlog_of(Arc::clone(&self.outbox), &workers::kinds::ALL),
            clients: Arc::clone(&self.clients),
            activity: Arc::clone(&self.activity),
            webhooks: Arc::clone(&self.webhooks),
            browser: Arc::clone(&self.browser),
            catalogues: Arc::clone(&self.catalogues),
            health: Arc::clone(&self.health),
            newsletter: accounts.has_account().then(|| NewsletterStores {
                subscribers: Arc::clone(&self.subscribers),
                accounts: Arc::clone(&self.accounts),
            }),
        }
    }

    /// Opens an existing database. The embedded one is migrated, an outdated PostgreSQL one
    /// refused.
    pub async fn open(url: &DatabaseUrl) -> anyhow::Result<Self> {
        embedded::require(url)?;
        Self::open_or(url, Outdated::MigrateEmbedded).await
    }

    /// Opens a database with a current schema. Creates the embedded one unless these keys or other
    /// files show that there was one.
    pub async fn open_or_make(
        url: &DatabaseUrl,
        keys: &Path,
        outdated: Outdated,
    ) -> anyhow::Result<Self> {
        embedded::require_no_trace(url, keys)?;
        Self::open_or(url, outdated).await
    }

    /// Opens a database, and migrates or refuses one whose schema lacks migrations.
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

    /// Opens an existing database without migrating it, and returns its pending migrations.
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

    /// Opens a database, creating an embedded one, applies its pending migrations, and returns
    /// them.
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
                    .context(CANNOT_OPEN_POSTGRES)?;
                let applied = store.migrate().await.context(CANNOT_MIGRATE)?;
                Ok((Self::of(&Arc::new(store)), applied))
            }
        }
    }
}

/// Opens a PostgreSQL database, and returns its pending migrations.
async fn open_postgres(url: &PostgresUrl) -> anyhow::Result<(Arc<PostgresStore>, Vec<String>)> {
    let store = PostgresStore::open(url, &PostgresOptions::default())
        .await
        .context(CANNOT_OPEN_POSTGRES)?;
    let pending = store
        .pending_migrations()
        .await
        .context(CANNOT_OPEN_POSTGRES)?;
    Ok((Arc::new(store), pending))
}
