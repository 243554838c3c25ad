//! The stores that every case runs on.

use adapters_postgres::testing;

use super::{SETTLING, eventually};

/// A store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    /// The embedded default store.
    Sqlite,
    /// A new database on the server for tests.
    Postgres,
}

/// Declares the tests of a module: each of the named functions once for each store.
///
/// A store is added with a line here and a variant of [`Store`].
macro_rules! on_every_store {
    ($($case:ident,)+) => {
        $crate::harness::on_store!(sqlite: Sqlite, $($case,)+);
        $crate::harness::on_store!(postgres: Postgres, $($case,)+);
    };
}

/// Declares tests for PostgreSQL only, such as those of several processes or of server failures.
macro_rules! on_postgres {
    ($($case:ident,)+) => {
        $crate::harness::on_store!(postgres_alone: Postgres, $($case,)+);
    };
}

/// Declares tests for SQLite only, or tests that do not depend on the store.
macro_rules! on_sqlite {
    ($($case:ident,)+) => {
        $crate::harness::on_store!(sqlite_alone: Sqlite, $($case,)+);
    };
}

/// Declares the tests of one store, in a module of its name.
macro_rules! on_store {
    ($module:ident: $store:ident, $($case:ident,)+) => {
        mod $module {
            $(
                #[test]
                fn $case() {
                    $crate::harness::finish(super::$case($crate::harness::Store::$store));
                }
            )+
        }
    };
}
pub(crate) use on_store;

/// The database of a site.
pub enum Database {
    /// A file in the data folder, created by the first process.
    Sqlite,
    /// A PostgreSQL database that is dropped after the test.
    Own(testing::Database),
    /// The database of another site.
    Other(String),
}

impl Database {
    /// A database with the current schema; for SQLite none yet, as the first process creates it.
    pub fn current(store: Store) -> Self {
        match store {
            Store::Sqlite => Self::Sqlite,
            Store::Postgres => Self::Own(testing::Database::migrated()),
        }
    }

    /// A database without tables.
    pub fn empty(store: Store) -> Self {
        match store {
            Store::Sqlite => Self::Sqlite,
            Store::Postgres => Self::Own(testing::Database::empty()),
        }
    }

    /// The `DATABASE_URL`, if it is not the default.
    pub fn url(&self) -> Option<String> {
        match self {
            Self::Sqlite => None,
            Self::Own(database) => Some(database.text_url()),
            Self::Other(url) => Some(url.clone()),
        }
    }

    /// Waits until every event that is committed now can be read. On a server that cases share, an
    /// event is hidden by the older transactions of all of them.
    pub async fn show_events(&self) {
        let Self::Own(database) = self else { return };
        let url = database.text_url();
        let now = "SELECT pg_current_xact_id()::text::bigint AS value";
        let now = testing::number(&url, now);
        let oldest = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS value";
        eventually("older transactions end", SETTLING, || {
            let oldest = testing::number(&url, oldest);
            async move { (oldest > now).then_some(()) }
        })
        .await;
    }
}
