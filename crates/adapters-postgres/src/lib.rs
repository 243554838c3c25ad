//! The production store: any number of processes on one PostgreSQL database.
//!
//! [`PostgresStore`] implements the ports [`Store`](domain::store::Store),
//! [`PostingReader`](domain::store::PostingReader),
//! [`Health`](domain::store::Health),
//! [`Outbox`](domain::outbox::Outbox), [`Clients`](domain::client::Clients),
//! [`DraftCache`](domain::enrichment::DraftCache) and [`AuditLog`](domain::audit::AuditLog); and
//! of the newsletter [`Store`](newsletter::store::Store),
//! [`SubscriberReader`](newsletter::store::SubscriberReader) and
//! [`Accounts`](newsletter::store::Accounts).
//! Nothing that another process can change is kept in
//! memory.
//!
//! - `url`, `tls`, `establish`, `connection`: where the database is, and how work runs on its
//!   connections; `health`, `recent`: whether it can be written.
//! - `migrations`: the tables, whose columns are explained there.
//! - `statement`: statements that are prepared once.
//! - `commit`: a write set as one transaction; `posting`, `company`, `subscriber`, `outbox`,
//!   `client`, `draft` and `audit` hold the statements of their tables.
//!
//! With the feature `testing` there are databases for tests, on the server that they were given.

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
/// Its connections live on the tokio runtime that its methods are called on.
#[derive(Clone)]
pub struct PostgresStore {
    connections: Arc<Connections>,
}

impl PostgresStore {
    /// Connects to a database. The schema may lack migrations ([`Self::migrate`]); one that is
    /// newer than this program is refused.
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

    /// Applies the migrations that the schema lacks, all or none, and says which they were.
    /// Several processes may do this at once.
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
