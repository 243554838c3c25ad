//! The store for production: any number of processes share one PostgreSQL database.
//!
//! [`PostgresStore`] implements the ports of all contexts. It caches nothing that others may
//! change.
//!
//! - `url`, `tls`, `establish`, `connection`: the address of the database, and its connections;
//!   `health`, `recent`: whether the database can be written.
//! - `migrations`: the schema, where the columns are explained; `open`: opens a database.
//! - `copy`: copies the rows of another store into this one.
//! - `ports`: the ports that `sql-common` implements for both stores.
//! - `commit`: a write set as one transaction. `event`, `retention`: tables that differ between the
//!   stores. `claim`, `draft`, `lease`: statements that differ, on tables that do not.
//!
//! The feature `testing` adds test databases on the server of `POSTHASTE_TEST_POSTGRES_URL`.

mod claim;
mod commit;
mod connection;
mod copy;
mod draft;
mod error;
mod establish;
mod event;
mod health;
mod lease;
mod locked;
mod migrations;
mod open;
mod options;
mod ports;
mod retention;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tls;
mod url;

#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use self::connection::Connections;
pub use self::{
    copy::{Begun, CopyTarget},
    options::PostgresOptions,
    url::{InvalidPostgresUrl, PostgresUrl},
};

#[derive(Clone)]
pub struct PostgresStore {
    connections: Arc<Connections>,
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}
