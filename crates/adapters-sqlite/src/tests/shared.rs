//! The tests that both stores pass.

use diesel::connection::SimpleConnection;
use diesel_migrations::MigrationHarness;
use kernel::StoreError;
use sql_common::testing::{Dialect, Shell};
use tempfile::TempDir;

use super::{place, texts};
use crate::{SqliteStore, connection::Role, migrations::MIGRATIONS};

sql_common::store_suite!(crate::tests::fixture, crate::tests::shared::empty);

/// A file without a schema.
async fn empty() -> (TempDir, SqliteStore) {
    let (dir, path) = place();
    (dir, SqliteStore::open(&path).unwrap())
}

impl Shell for SqliteStore {
    const DIALECT: Dialect = Dialect::Sqlite;
    const FOLDER: &'static str = env!("CARGO_MANIFEST_DIR");
    const OBJECTS: &'static str = "SELECT sql AS value FROM sqlite_master \
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
        AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\' ORDER BY sql";
    const COLUMNS: &'static str = "SELECT t.name || '.' || c.name AS value \
        FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' \
        AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
        AND t.name NOT LIKE '\\_\\_diesel%' ESCAPE '\\'";

    async fn batch(&self, sql: &str) -> Result<(), String> {
        let mut conn = self.connections.connect(Role::Writer).unwrap();
        conn.batch_execute(sql).map_err(|error| error.to_string())
    }

    async fn values(&self, query: &str) -> Vec<String> {
        texts(&mut self.connections.connect(Role::Reader).unwrap(), query)
    }

    async fn lacks(&self) -> Result<Vec<String>, StoreError> {
        self.pending_migrations().await
    }

    async fn complete(&self) -> Result<Vec<String>, StoreError> {
        self.migrate().await
    }

    async fn step(&self, is_up: bool) {
        let mut conn = self.connections.connect(Role::Writer).unwrap();
        let step = if is_up {
            conn.run_next_migration(MIGRATIONS)
        } else {
            conn.revert_last_migration(MIGRATIONS)
        };
        step.map(drop).unwrap();
    }
}
