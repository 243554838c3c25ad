//! The production store: any number of processes on one PostgreSQL database.
//!
//! [`PostgresStore`] implements the ports [`Store`](domain::store::Store),
//! [`PostingReader`](domain::store::PostingReader), [`Health`](domain::store::Health),
//! [`EventLog`](kernel::event::EventLog), [`Outbox`](kernel::outbox::Outbox),
//! [`Clients`](access::Clients), [`Catalogues`](domain::catalogue::Catalogues),
//! [`SignInTokens`](access::sign_in::SignInTokens),
//! [`PostingBrowser`](domain::browse::PostingBrowser),
//! [`DraftCache`](enrichment::DraftCache), [`AuditLog`](kernel::audit::AuditLog) and
//! [`Webhooks`](webhooks::Webhooks); and of the newsletter
//! [`Store`](newsletter::store::Store),
//! [`SubscriberReader`](newsletter::store::SubscriberReader) and
//! [`Accounts`](newsletter::store::Accounts). It keeps nothing in memory that another process can
//! change.
//!
//! - `url`, `tls`, `establish`, `connection`: where the database is, and how work runs on its
//!   connections; `health`, `recent`: whether it can be written.
//! - `migrations`: the tables, whose columns are explained there; `open`: with all of them.
//! - `statement`: statements with columns of several rows; `copy`: takes in the rows of another
//!   store.
//! - `ports`: the ports that are implemented for both stores, in `sql-common`.
//! - `commit`: a write set as one transaction; `event`, `retention`: tables that this store has in
//!   its own way; `client`, `draft`, `outbox`, `subscriber`, `webhook`: statements on shared tables
//!   that this store has in its own way.
//!
//! The feature `testing` adds databases for tests, on the server that `POSTHASTE_TEST_POSTGRES_URL`
//! names.

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

/// A store in a PostgreSQL database. Clones share its connections.
///
/// Its connections belong to the tokio runtime on which its methods are called.
#[derive(Clone)]
pub struct PostgresStore {
    connections: Arc<Connections>,
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}
