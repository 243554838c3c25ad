use std::future::{Ready, ready};

use diesel::connection::SimpleConnection;
use diesel_migrations::MigrationHarness;
use kernel::StoreError;
use sql_common::testing::{Dialect, Shell};
use tempfile::TempDir;

use super::{place, texts};
use crate::{SqliteStore, connection::Role, migrations::MIGRATIONS};

sql_common::store_suite!(crate::tests::fixture, crate::tests::shared::empty);

mod two_processes {
    use std::future::{Ready, ready};

    use tempfile::TempDir;

    use crate::{SqliteStore, tests::processes::two};

    /// Writers queue for one lock, so there is nothing to check.
    fn done(_: &TempDir, _: [SqliteStore; 2]) -> Ready<()> {
        ready(())
    }

    sql_common::races!(two, done);
}

fn empty() -> Ready<(TempDir, SqliteStore)> {
    let (dir, path) = place();
    ready((dir, SqliteStore::open(&path).unwrap()))
}

impl Shell for SqliteStore {
    const DIALECT: Dialect = Dialect::Sqlite;
    const OBJECTS: &'static str = "SELECT sql AS value FROM sqlite_master \
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
        AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\' ORDER BY sql";

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

    async fn revert(&self) {
        let mut conn = self.connections.connect(Role::Writer).unwrap();
        conn.revert_last_migration(MIGRATIONS).map(drop).unwrap();
    }
}
