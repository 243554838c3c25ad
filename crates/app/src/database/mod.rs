//! The store behind `DATABASE_URL`, as the ports of the domain.

pub mod embedded;
pub mod url;

use std::{path::Path, sync::Arc};

use ::webhooks::Webhooks;
use access::{ActivityLog, Clients, sign_in::SignInTokens};
use adapters_mailerlite::Settings;
use adapters_postgres::{PostgresOptions, PostgresStore};
use adapters_prometheus::{NewsletterStores, Stores, backlog_of};
use adapters_sqlite::SqliteStore;
use anyhow::{Context as _, ensure};
use domain::{
    browse::PostingBrowser,
    catalogue::Catalogues,
    company::CompanyReader,
    store::{Health, LockedRows, PostingReader, ReplicaPosition, Retention, Store, StoreClock},
};
use enrichment::DraftCache;
use ingest::CataloguePorts;
use kernel::{audit::AuditLog, event::EventLog, outbox::Outbox, trace::OptionalTracer};
use newsletter::store::{Accounts, SubscriberReader};
use runtime::{Throttle, clock};
use workers::{Activities, ObservedStore, Observer, Wake};

use self::url::DatabaseUrl;

const CANNOT_OPEN: &str = "cannot open the database";
const CANNOT_OPEN_POSTGRES: &str = "DATABASE_URL: cannot open the database";

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
            backlog: backlog_of(Arc::clone(&self.outbox), workers::kinds()),
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

    /// The ports that work on whole catalogues.
    pub fn for_catalogues(&self, throttle: Throttle) -> CataloguePorts {
        CataloguePorts {
            catalogues: Arc::clone(&self.catalogues),
            store: Arc::clone(&self.store),
            clock: clock::system(),
            throttle,
        }
    }

    /// Opens an existing database. The embedded one is migrated, an outdated PostgreSQL one
    /// refused.
    pub async fn open(url: &DatabaseUrl) -> anyhow::Result<Self> {
        embedded::require(url)?;
        Self::open_current(url, false).await
    }

    /// Opens a database with a current schema. Creates the embedded one unless these keys or other
    /// files show that there was one.
    pub async fn open_or_make(
        url: &DatabaseUrl,
        keys: &Path,
        migrates: bool,
    ) -> anyhow::Result<Self> {
        embedded::require_no_trace(url, keys)?;
        Self::open_current(url, migrates).await
    }

    /// Opens a database with a current schema. The embedded one belongs to this process, which
    /// migrates it; when the tables of a PostgreSQL one change is its operator's decision.
    async fn open_current(url: &DatabaseUrl, migrates: bool) -> anyhow::Result<Self> {
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
        opened.database().await
    }

    /// Opens an existing database without migrating it, and returns its pending migrations.
    pub async fn open_as_it_is(url: &DatabaseUrl) -> anyhow::Result<(Self, Vec<String>)> {
        embedded::require(url)?;
        let opened = Opened::at(url).await?;
        let pending = opened.pending().await?;
        Ok((opened.database().await?, pending))
    }

    /// Applies the pending migrations of a database, creating an embedded one, and returns them.
    pub async fn migrate(url: &DatabaseUrl) -> anyhow::Result<Vec<String>> {
        Opened::at(url).await?.migrate().await
    }
}

/// A store whose schema is as it was found.
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

    /// The ports. From now on [`clock::now`] is the time by the store's clock.
    async fn database(&self) -> anyhow::Result<Database> {
        let database = match self {
            Self::Sqlite(store) => Database::of(store),
            Self::Postgres(store) => Database::of(store),
        };
        let measured = clock::measure(&*database.clock).await;
        measured.context("the database's clock cannot be read")?;
        Ok(database)
    }
}
