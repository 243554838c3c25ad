use std::sync::Arc;

use diesel::pg::Pg;
use kernel::StoreError;

use crate::{
    PostgresOptions, PostgresStore, PostgresUrl,
    connection::Connections,
    copy, event,
    migrations::{self, MIGRATIONS},
};

impl PostgresStore {
    /// Opens a database, which may lack migrations ([`Self::migrate`]). Fails if a newer program
    /// has made the schema incompatible.
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

    pub fn standby(url: &PostgresUrl, options: &PostgresOptions) -> Result<Self, StoreError> {
        Ok(Self {
            connections: Arc::new(Connections::new(url, options)?),
        })
    }

    pub async fn pending_migrations(&self) -> Result<Vec<String>, StoreError> {
        self.connections
            .run(async |conn| Ok(migrations::pending::<Pg>(conn, &MIGRATIONS).await?))
            .await
    }

    /// Applies the missing migrations, and returns their names. Other processes may push meanwhile,
    /// and concurrent calls are safe. If a migration fails, those before it stay.
    pub async fn migrate(&self) -> Result<Vec<String>, StoreError> {
        let conn = self.connections.take().await?;
        let applied = migrations::migrate(conn, MIGRATIONS).await?;
        self.order_events().await?;
        Ok(applied)
    }

    /// Ensures that new events come after existing ones, even in another server.
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
