//! Upgrades of files that have every column of every table set, and the ways back.

use std::collections::BTreeMap;

use diesel::{SqliteConnection, connection::SimpleConnection};
use diesel_migrations::MigrationHarness;
use domain::store::Store;
use sql_common::testing::upgrade::{
    assert_all_are_kept, assert_all_are_set, fixture, rows_come_back,
};
use tempfile::TempDir;

use super::{create, number, place, texts};
use crate::{SqliteStore, connection::Role, migrations::MIGRATIONS};

/// Everything in the schema, with its definition.
const OBJECTS: &str = "SELECT sql AS value FROM sqlite_master WHERE sql IS NOT NULL \
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\' \
    ORDER BY sql";

const COLUMNS: &str = "SELECT t.name || '.' || c.name AS value \
    FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' \
    AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name NOT LIKE '\\_\\_diesel%' ESCAPE '\\'";

/// A file without a schema, and the names of all migrations in order.
async fn empty() -> (TempDir, SqliteStore, SqliteConnection, Vec<String>) {
    let (dir, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    let conn = store.connections.connect(Role::Writer).unwrap();
    let migrations = store.pending_migrations().await.unwrap();
    (dir, store, conn, migrations)
}

/// In how many rows each column is set.
fn columns(conn: &mut SqliteConnection) -> BTreeMap<String, i64> {
    let mut columns = BTreeMap::new();
    for column in texts(conn, COLUMNS) {
        let (table, name) = column.split_once('.').unwrap();
        let count = format!("SELECT count(\"{name}\") AS value FROM \"{table}\"");
        columns.insert(column.clone(), number(conn, &count));
    }
    columns
}

#[tokio::test]
async fn every_version_becomes_the_newest_with_its_rows() {
    let (.., migrations) = empty().await;
    for age in 1..=migrations.len() {
        let (_dir, store, mut conn, _) = empty().await;
        let (applied, pending) = migrations.split_at(age);
        for name in applied {
            conn.run_next_migration(MIGRATIONS).unwrap();
            let rows = fixture(env!("CARGO_MANIFEST_DIR"), name);
            conn.batch_execute(&rows).unwrap();
        }
        let before = columns(&mut conn);
        assert_all_are_set(&before);
        assert_eq!(store.migrate().await.as_deref(), Ok(pending));
        assert_all_are_kept(&before, &columns(&mut conn));
        for migration in applied {
            rows_come_back(&store, migration).await;
        }
        store.commit(create(1)).await.unwrap();
    }
}

#[tokio::test]
async fn all_migrations_go_down_one_by_one_and_up_again() {
    let (_dir, store, mut conn, migrations) = empty().await;
    store.migrate().await.unwrap();
    let up = texts(&mut conn, OBJECTS);
    for _ in &migrations {
        conn.revert_last_migration(MIGRATIONS).unwrap();
    }
    assert_eq!(texts(&mut conn, OBJECTS), Vec::<String>::new());
    assert_eq!(store.migrate().await, Ok(migrations));
    assert_eq!(texts(&mut conn, OBJECTS), up);
    store.commit(create(1)).await.unwrap();
}
