//! The production store: any number of processes on one PostgreSQL database.
//!
//! [`PostgresStore`] implements the ports of all contexts. It keeps nothing in memory that another
//! process can change.
//!
//! - `url`, `tls`, `establish`, `connection`: the database's address, and how work runs on
//!   connections; `health`, `recent`: whether it accepts writes.
//! - `migrations`: the tables, whose columns they explain; `open`: brings the schema up to date.
//! - `statement`: statements with columns of several rows; `copy`: takes the rows of another store.
//! - `ports`: the ports, implemented in `sql-common`.
//! - `commit`: a write set as one transaction; `event`, `retention`, `client`, `draft`, `outbox`,
//!   `subscriber`, `webhook`: what this store does in its own way.
//!
//! The feature `testing` adds databases for tests, on the server of `POSTHASTE_TEST_POSTGRES_URL`.

mod claim;
mod client;
mod commit;
mod connection;
mod copy;
mod draft;
mod error;
mod establish;
mod event;
mod health;
mod locked;
mod migrations;
mod open;
mod options;
mod ports;
mod recent;
mod retention;
mod statement;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tls;
mod url;
mod webhook;

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
