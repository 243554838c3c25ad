//! The stores that every case runs on.

use std::{path::Path, sync::Arc};

use adapters_sqlite::SqliteStore;

/// A store to run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    /// The embedded default.
    Sqlite,
}

/// Declares the tests of a module: each of the named functions, once for each store.
///
/// A store is added with a line here and a variant of [`Store`].
macro_rules! on_every_store {
    ($($case:ident,)+) => {
        $crate::harness::on_store!(sqlite: Sqlite, $($case,)+);
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

impl Store {
    /// The variables that put a process with this data folder on a database of its own.
    pub fn variables(self, _data: &Path) -> Vec<(String, String)> {
        match self {
            // The default is a file in the data folder.
            Self::Sqlite => Vec::new(),
        }
    }

    /// The same database, opened beside the processes that serve it: the one way to let time
    /// pass that no option offers.
    pub fn open(self, data: &Path) -> Arc<dyn domain::store::Store> {
        match self {
            Self::Sqlite => Arc::new(SqliteStore::open(&data.join("posthaste.db")).unwrap()),
        }
    }
}
