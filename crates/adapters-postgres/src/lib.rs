//! The production store: any number of processes on one PostgreSQL database.
//!
//! [`PostgresStore`] implements the ports [`Store`](domain::store::Store),
//! [`PostingReader`](domain::store::PostingReader), [`Health`](domain::store::Health),
//! [`Outbox`](domain::outbox::Outbox), [`Clients`](domain::client::Clients),
//! [`DraftCache`](domain::enrichment::DraftCache) and [`AuditLog`](domain::audit::AuditLog); and
//! those of the newsletter, [`Store`](newsletter::store::Store),
//! [`SubscriberReader`](newsletter::store::SubscriberReader) and
//! [`Accounts`](newsletter::store::Accounts). It keeps nothing in memory that another process can
//! change.
//!
//! - `url`, `tls`, `establish`, `connection`: the address of the database, and the pool of
//!   connections to it; `health`, `recent`: whether it accepts writes.
//! - `migrations`: the schema; the migrations themselves explain its columns.
//! - `statement`: statements that are prepared once for each connection.
//! - `commit`: a write set as one transaction; `posting`, `company`, `subscriber`, `outbox`,
//!   `client`, `draft` and `audit`: the statements of each table.
//!
//! The feature `testing` adds databases for tests, on the server that `POSTHASTE_TEST_POSTGRES_URL`
//! names.

mod audit;
mod client;
mod commit;
mod company;
mod connection;
mod draft;
mod error;
mod establish;
mod health;
mod migrations;
mod options;
mod outbox;
mod posting;
mod recent;
mod statement;
mod subscriber;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tls;
mod url;

#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use domain::store::StoreError;

use self::connection::Connections;
pub use self::{
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

impl PostgresStore {
    /// Opens a database, which may lack migrations ([`Self::migrate`]). Fails if its schema is
    /// newer than this program.
    pub async fn open(url: &PostgresUrl, options: &PostgresOptions) -> Result<Self, StoreError> {
        let store = Self {
            connections: Arc::new(Connections::new(url, options)?),
        };
        store.pending_migrations().await?;
        Ok(store)
    }

    /// The names of the migrations that the schema lacks, in order.
    pub async fn pending_migrations(&self) -> Result<Vec<String>, StoreError> {
        self.connections
            .run(async |conn| migrations::pending(conn).await)
            .await
    }

    /// Applies the missing migrations, all or none, and returns their names. Several processes may
    /// call this at once.
    pub async fn migrate(&self) -> Result<Vec<String>, StoreError> {
        let conn = self.connections.take().await?;
        match tokio::task::spawn_blocking(move || migrations::migrate(conn)).await {
            Ok(result) => Ok(result?),
            Err(error) => Err(StoreError::Broken(error.to_string())),
        }
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}
