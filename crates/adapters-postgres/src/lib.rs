//! The production store: any number of processes on one PostgreSQL database.
//!
//! [`PostgresStore`] implements the ports [`Store`](domain::store::Store),
//! [`PostingReader`](domain::store::PostingReader), [`Health`](domain::store::Health),
//! [`EventLog`](kernel::event::EventLog), [`Outbox`](kernel::outbox::Outbox),
//! [`Clients`](access::Clients), [`Catalogues`](domain::catalogue::Catalogues),
//! [`Passes`](access::sign_in::Passes),
//! [`PostingBrowser`](domain::browse::PostingBrowser),
//! [`DraftCache`](domain::enrichment::DraftCache), [`AuditLog`](kernel::audit::AuditLog) and
//! [`Webhooks`](webhooks::Webhooks); and of the newsletter
//! [`Store`](newsletter::store::Store),
//! [`SubscriberReader`](newsletter::store::SubscriberReader) and
//! [`Accounts`](newsletter::store::Accounts). It keeps nothing in memory that another process can
//! change.
//!
//! - `url`, `tls`, `establish`, `connection`: where the database is, and how work runs on its
//!   connections; `health`, `recent`: whether it can be written.
//! - `migrations`: the tables, whose columns are explained there.
//! - `statement`: statements that are prepared once; `copy`: takes in the rows of another store.
//! - `commit`: a write set as one transaction; `posting`, `company`, `catalogue`, `subscriber`,
//!   `event`, `outbox`, `client`, `console`, `draft`, `audit` and `webhook` hold the statements of
//!   their tables.
//!
//! The feature `testing` adds databases for tests, on the server that `POSTHASTE_TEST_POSTGRES_URL`
//! names.

mod audit;
mod catalogue;
mod client;
mod commit;
mod company;
mod connection;
mod console;
mod copy;
mod draft;
mod duplicate;
mod error;
mod establish;
mod event;
mod health;
mod migrations;
mod options;
mod outbox;
mod posting;
mod recent;
mod retention;
mod statement;
mod subscriber;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tls;
mod url;
mod webhook;

#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use kernel::StoreError;

use self::{connection::Connections, migrations::MIGRATIONS};
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

impl PostgresStore {
    /// Opens a database, which may lack migrations ([`Self::migrate`]). Fails if its schema is
    /// newer than this program.
    pub async fn open(url: &PostgresUrl, options: &PostgresOptions) -> Result<Self, StoreError> {
        let store = Self {
            connections: Arc::new(Connections::new(url, options)?),
        };
        if store.pending_migrations().await?.is_empty() {
            let connections = &store.connections;
            connections
                .run(async |conn| copy::refuse_half_a_copy(conn).await)
                .await?;
            store.order_events().await?;
        }
        Ok(store)
    }

    /// A standby of a database, to read from. It is connected to when it is first used.
    pub fn standby(url: &PostgresUrl, options: &PostgresOptions) -> Result<Self, StoreError> {
        Ok(Self {
            connections: Arc::new(Connections::new(url, options)?),
        })
    }

    /// The names of the migrations that the schema lacks, in order.
    pub async fn pending_migrations(&self) -> Result<Vec<String>, StoreError> {
        self.connections
            .run(async |conn| migrations::pending(conn, &MIGRATIONS).await)
            .await
    }

    /// Applies the missing migrations, and returns their names. Others may push meanwhile, and
    /// several processes may call this at once. Each migration is applied whole or not at all; what
    /// was applied before one fails stays.
    pub async fn migrate(&self) -> Result<Vec<String>, StoreError> {
        let conn = self.connections.take().await?;
        let applied = migrations::migrate(conn, MIGRATIONS).await?;
        self.order_events().await?;
        Ok(applied)
    }

    /// Sees to it that the next event follows those that are there, also in another server.
    async fn order_events(&self) -> Result<(), StoreError> {
        let connections = &self.connections;
        if !connections
            .run(async |conn| event::is_behind(conn).await)
            .await?
        {
            return Ok(());
        }
        tracing::warn!(
            "the ids of transactions are lower than in the event log, as after restoring a dump: \
             new events get places behind the last one"
        );
        connections
            .transaction(async |conn| event::raise_offset(conn).await)
            .await
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}
