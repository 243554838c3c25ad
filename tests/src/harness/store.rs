//! The stores that every case runs on.

use std::{fs, path::Path, sync::Arc};

use adapters_postgres::{
    PostgresStore,
    testing::{self, patient},
};
use adapters_sqlite::SqliteStore;

/// A store to run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    /// The embedded default.
    Sqlite,
    /// A database of its own on the server that the tests were given.
    Postgres,
}

/// Declares the tests of a module: each of the named functions, once for each store.
///
/// A store is added with a line here and a variant of [`Store`].
macro_rules! on_every_store {
    ($($case:ident,)+) => {
        $crate::harness::on_store!(sqlite: Sqlite, $($case,)+);
        $crate::harness::on_store!(postgres: Postgres, $($case,)+);
    };
}

/// The same for what is promised of PostgreSQL alone: many processes, and a server that may go.
macro_rules! on_postgres {
    ($($case:ident,)+) => {
        $crate::harness::on_store!(postgres_alone: Postgres, $($case,)+);
    };
}

/// The same for what does not depend on the store, or can happen to the embedded one alone.
macro_rules! on_sqlite {
    ($($case:ident,)+) => {
        $crate::harness::on_store!(sqlite_alone: Sqlite, $($case,)+);
    };
}

/// The tests of one store, in a module of its name.
macro_rules! on_store {
    ($module:ident: $store:ident, $($case:ident,)+) => {
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    super::$case($crate::harness::Store::$store).await;
                }
            )+
        }
    };
}
pub(crate) use on_store;

/// Where the state of some processes is.
pub enum Database {
    /// A file in the data folder, which the first process makes.
    Sqlite,
    /// A database that goes after the tests.
    Own(testing::Database),
    /// A database of somebody else.
    Other(String),
}

impl Database {
    /// One with the current schema, or else without a file yet: the embedded store looks after
    /// itself.
    pub fn current(store: Store) -> Self {
        match store {
            Store::Sqlite => Self::Sqlite,
            Store::Postgres => Self::Own(testing::Database::migrated()),
        }
    }

    /// One without any table.
    pub fn empty(store: Store) -> Self {
        match store {
            Store::Sqlite => Self::Sqlite,
            Store::Postgres => Self::Own(testing::Database::empty()),
        }
    }

    /// Its `DATABASE_URL`, if it is not the default.
    pub fn url(&self) -> Option<String> {
        match self {
            Self::Sqlite => None,
            Self::Own(database) => Some(database.text_url()),
            Self::Other(url) => Some(url.clone()),
        }
    }

    /// The same database, opened beside the processes that serve it: the one way to let time
    /// pass that no option offers.
    pub async fn open(&self, data: &Path) -> Arc<dyn domain::store::Store> {
        match self.url() {
            None => Arc::new(SqliteStore::open(&data.join("posthaste.db")).unwrap()),
            Some(url) => {
                let store = PostgresStore::open(&url.parse().unwrap(), &patient()).await;
                Arc::new(store.unwrap())
            }
        }
    }

    /// Whether it keeps a client's secret as it is.
    pub fn keeps_secret(&self, data: &Path, secret: &str) -> bool {
        let Some(url) = self.url() else {
            return ["posthaste.db", "posthaste.db-wal"].iter().any(|file| {
                let content = fs::read(data.join(file)).unwrap_or_default();
                let mut windows = content.windows(secret.len());
                windows.any(|window| window == secret.as_bytes())
            });
        };
        let rows = testing::number(&url, "SELECT count(*) AS value FROM clients");
        assert_ne!(rows, 0, "there are clients");
        // Columns of bytes are shown in hexadecimal digits.
        let found = format!(
            "SELECT count(*) AS value FROM clients AS client WHERE \
             strpos(client::text, '{secret}') > 0 OR \
             strpos(client::text, encode(convert_to('{secret}', 'UTF8'), 'hex')) > 0"
        );
        testing::number(&url, &found) > 0
    }
}
