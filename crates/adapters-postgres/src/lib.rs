//! The production store: any number of processes on one PostgreSQL database.
//!
//! [`PostgresStore`] implements the ports of all contexts. It keeps nothing in memory that another
//! process can change.
//!
//! - `url`, `tls`, `establish`, `connection`: where the database is, and how work runs on its
//!   connections; `health`, `recent`: whether it can be written.
//! - `migrations`: the schema, whose columns are explained there; `open`: opens a database.
//! - `copy`: copies the rows of another store into this one.
//! - `ports`: the ports that are implemented for both stores, in `sql-common`.
//! - `commit`: a write set as one transaction. `event`, `retention`: tables that differ between the
//!   stores. `claim`, `draft`, `lease`: statements that differ, on the same tables.
//!
//! The feature `testing` adds databases for tests, on the server of `POSTHASTE_TEST_POSTGRES_URL`.

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
mod recent;
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
