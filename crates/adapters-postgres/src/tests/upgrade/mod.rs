//! Upgrades of databases that have every column of every table set, and the ways back.

use std::collections::BTreeMap;

use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::MigrationHarness;
use domain::store::Store;
use sql_common::testing::upgrade::{
    assert_all_are_kept, assert_all_are_set, fixture, rows_come_back,
};

use super::{Database, create, number, patient, schema::OBJECTS, texts, try_run};
use crate::{PostgresStore, migrations::MIGRATIONS};

const COLUMNS: &str = "SELECT table_name || '.' || column_name AS value \
    FROM information_schema.columns \
    WHERE table_schema = 'public' AND table_name NOT LIKE '\\_\\_diesel%'";

/// A database without a schema, and the names of all migrations in order.
async fn empty() -> (Database, PostgresStore, Vec<String>) {
    let database = Database::empty();
    let store = database.open(&patient()).await;
    let migrations = store.pending_migrations().await.unwrap();
    (database, store, migrations)
}

/// Applies or reverts migrations one by one, as diesel's harness does it.
async fn with_harness(
    store: &PostgresStore,
    work: impl FnOnce(&mut AsyncConnectionWrapper<AsyncPgConnection>) + Send + 'static,
) {
    let conn = store.connections.take().await.unwrap();
    tokio::task::spawn_blocking(move || work(&mut conn.into()))
        .await
        .unwrap();
}

/// In how many rows each column is set.
async fn columns(store: &PostgresStore) -> BTreeMap<String, i64> {
    let mut columns = BTreeMap::new();
    for column in texts(store, COLUMNS).await {
        let (table, name) = column.split_once('.').unwrap();
        let count = format!("SELECT count(\"{name}\") AS value FROM \"{table}\"");
        columns.insert(column.clone(), number(store, &count).await);
    }
    columns
}

#[tokio::test]
async fn every_version_becomes_the_newest_with_its_rows() {
    let (_, _, migrations) = empty().await;
    for age in 1..=migrations.len() {
        let (_database, store, _) = empty().await;
        let (applied, pending) = migrations.split_at(age);
        for name in applied {
            with_harness(&store, |conn| {
                conn.run_next_migration(MIGRATIONS).map(drop).unwrap();
            })
            .await;
            let rows = fixture(env!("CARGO_MANIFEST_DIR"), name);
            try_run(&store, &rows).await.unwrap();
        }
        let before = columns(&store).await;
        assert_all_are_set(&before);
        assert_eq!(store.migrate().await.as_deref(), Ok(pending));
        assert_all_are_kept(&before, &columns(&store).await);
        for migration in applied {
            rows_come_back(&store, migration).await;
        }
        store.commit(create(1)).await.unwrap();
    }
}

#[tokio::test]
async fn all_migrations_go_down_one_by_one_and_up_again() {
    let (_database, store, migrations) = empty().await;
    store.migrate().await.unwrap();
    let up = texts(&store, OBJECTS).await;
    assert!(up.len() > 60, "{up:#?}");
    for _ in &migrations {
        with_harness(&store, |conn| {
            conn.revert_last_migration(MIGRATIONS).map(drop).unwrap();
        })
        .await;
    }
    assert_eq!(texts(&store, OBJECTS).await, Vec::<String>::new());
    assert_eq!(store.migrate().await, Ok(migrations));
    assert_eq!(texts(&store, OBJECTS).await, up);
    store.commit(create(1)).await.unwrap();
}
