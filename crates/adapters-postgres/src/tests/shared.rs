//! The tests that both stores pass.

use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::MigrationHarness;
use kernel::StoreError;
use sql_common::testing::{Dialect, Shell};

use super::{Database, patient, texts, try_run};
use crate::{PostgresStore, migrations::MIGRATIONS};

sql_common::store_suite!(crate::tests::fixture, crate::tests::shared::empty);

/// A database without a schema.
async fn empty() -> (Database, PostgresStore) {
    let database = Database::empty();
    let store = database.open(&patient()).await;
    (database, store)
}

impl Shell for PostgresStore {
    const DIALECT: Dialect = Dialect::Postgres;
    const FOLDER: &'static str = env!("CARGO_MANIFEST_DIR");
    const OBJECTS: &'static str = super::schema::OBJECTS;
    const COLUMNS: &'static str = "SELECT table_name || '.' || column_name AS value \
        FROM information_schema.columns \
        WHERE table_schema = 'public' AND table_name NOT LIKE '\\_\\_diesel%'";

    async fn batch(&self, sql: &str) -> Result<(), String> {
        try_run(self, sql).await.map_err(|error| error.to_string())
    }

    async fn values(&self, query: &str) -> Vec<String> {
        texts(self, query).await
    }

    async fn lacks(&self) -> Result<Vec<String>, StoreError> {
        self.pending_migrations().await
    }

    async fn complete(&self) -> Result<Vec<String>, StoreError> {
        self.migrate().await
    }

    async fn step(&self, is_up: bool) {
        let conn = self.connections.take().await.unwrap();
        let work = move || {
            let mut conn: AsyncConnectionWrapper<AsyncPgConnection> = conn.into();
            let step = if is_up {
                conn.run_next_migration(MIGRATIONS)
            } else {
                conn.revert_last_migration(MIGRATIONS)
            };
            step.map(drop).unwrap();
        };
        tokio::task::spawn_blocking(work).await.unwrap();
    }
}
