use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::MigrationHarness;
use kernel::StoreError;
use sql_common::testing::{Dialect, Shell};

use super::{Database, patient, texts, try_run};
use crate::{PostgresStore, migrations::MIGRATIONS};

sql_common::store_suite!(crate::tests::fixture, crate::tests::shared::empty);

mod two_processes {
    use crate::tests::concurrency::{two, without_deadlock};

    sql_common::races!(two, without_deadlock);
}

async fn empty() -> (Database, PostgresStore) {
    let database = Database::empty();
    let store = database.open(&patient()).await;
    (database, store)
}

impl Shell for PostgresStore {
    const DIALECT: Dialect = Dialect::Postgres;
    const OBJECTS: &'static str = super::schema::OBJECTS;

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

    async fn revert(&self) {
        let conn = self.connections.take().await.unwrap();
        let work = move || {
            let mut conn: AsyncConnectionWrapper<AsyncPgConnection> = conn.into();
            conn.revert_last_migration(MIGRATIONS).map(drop).unwrap();
        };
        tokio::task::spawn_blocking(work).await.unwrap();
    }
}
