use adapters_postgres::testing;

use super::{SETTLING, eventually};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    Sqlite,
    Postgres,
}

/// Declares the tests of a module: each named function becomes one test per store.
///
/// A new store needs a line here and a variant of [`Store`].
macro_rules! on_every_store {
    ($($case:ident,)+) => {
        $crate::harness::on_store!(sqlite: Sqlite, $($case,)+);
        $crate::harness::on_store!(postgres: Postgres, $($case,)+);
    };
}

/// For tests of several processes or of server failures.
macro_rules! on_postgres {
    ($($case:ident,)+) => {
        $crate::harness::on_store!(postgres_alone: Postgres, $($case,)+);
    };
}

/// For tests on SQLite, and for tests that do not depend on the store.
macro_rules! on_sqlite {
    ($($case:ident,)+) => {
        $crate::harness::on_store!(sqlite_alone: Sqlite, $($case,)+);
    };
}

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

pub enum Database {
    Sqlite,
    Own(testing::Database),
    Other(String),
}

impl Database {
    /// A migrated database. For SQLite the first process creates it.
    pub fn current(store: Store) -> Self {
        match store {
            Store::Sqlite => Self::Sqlite,
            Store::Postgres => Self::Own(testing::Database::migrated()),
        }
    }

    pub fn empty(store: Store) -> Self {
        match store {
            Store::Sqlite => Self::Sqlite,
            Store::Postgres => Self::Own(testing::Database::empty()),
        }
    }

    pub fn url(&self) -> Option<String> {
        match self {
            Self::Sqlite => None,
            Self::Own(database) => Some(database.text_url()),
            Self::Other(url) => Some(url.clone()),
        }
    }

    /// On a shared server, older transactions of all cases hide events. Waits for their end.
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
