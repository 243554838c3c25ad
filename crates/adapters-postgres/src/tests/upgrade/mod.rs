//! Upgrades of databases that have rows in every table, and the ways back.
//!
//! Beside this module is one fixture for each migration: rows that the schema right after it
//! can hold, as a program of that time would have written them. Whoever adds a migration adds
//! its fixture, and says in [`domain::testing::upgrade`] how its rows are read.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use diesel::{
    migration::{Migration, MigrationSource},
    pg::Pg,
};
use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::MigrationHarness;
use domain::store::Store;
use newsletter::testing::upgrade::rows_come_back;

use super::{Database, create, number, patient, schema::OBJECTS, texts, try_run};
use crate::{PostgresStore, migrations::MIGRATIONS};

const TABLES: &str = "SELECT tablename::text AS value FROM pg_tables \
    WHERE schemaname = 'public' AND tablename NOT LIKE '\\_\\_diesel%'";

/// The names of all migrations, in order.
fn migrations() -> Vec<String> {
    let known = MigrationSource::<Pg>::migrations(&MIGRATIONS).unwrap();
    let mut names: Vec<_> = known.iter().map(|known| known.name().to_string()).collect();
    names.sort();
    names
}

/// A database as it was after these migrations, with rows from the time of each.
async fn aged(migrations: &[String]) -> (Database, PostgresStore) {
    let database = Database::empty();
    let store = database.open(&patient()).await;
    for name in migrations {
        with_harness(&store, |conn| {
            conn.run_next_migration(MIGRATIONS).map(drop).unwrap();
        })
        .await;
        let path = folder().join(name).with_extension("sql");
        let rows = fs::read_to_string(&path).unwrap_or_else(|error| {
            panic!(
                "the migration {name} needs rows from its time in {}: {error}",
                path.display()
            )
        });
        let written = try_run(&store, &rows).await;
        written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    for (table, rows) in rows(&store).await {
        assert!(rows > 0, "no fixture has a row for the table {table}");
    }
    (database, store)
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

async fn revert_last(store: &PostgresStore) {
    with_harness(store, |conn| {
        conn.revert_last_migration(MIGRATIONS).map(drop).unwrap();
    })
    .await;
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/upgrade")
}

/// How many rows each table has.
async fn rows(store: &PostgresStore) -> BTreeMap<String, i64> {
    let mut rows = BTreeMap::new();
    for table in texts(store, TABLES).await {
        let count = format!("SELECT count(*) AS value FROM {table}");
        rows.insert(table, number(store, &count).await);
    }
    rows
}

#[tokio::test]
async fn every_earlier_schema_becomes_the_newest_with_its_rows() {
    let migrations = migrations();
    for age in 1..=migrations.len() {
        let (applied, pending) = migrations.split_at(age);
        let (_database, store) = aged(applied).await;
        let before = rows(&store).await;
        assert_eq!(store.migrate().await.as_deref(), Ok(pending));
        let after = rows(&store).await;
        for (table, rows) in &before {
            assert_eq!(after.get(table), Some(rows), "{table} after {age}");
        }
        for migration in applied {
            rows_come_back(&store, migration).await;
        }
        store.commit(create(1)).await.unwrap();
    }
}

#[tokio::test]
async fn each_migration_is_taken_back_and_leaves_the_rows_of_those_before() {
    let migrations = migrations();
    for age in 1..=migrations.len() {
        let applied = &migrations[..age];
        let (_database, store) = aged(applied).await;
        let before = rows(&store).await;
        revert_last(&store).await;
        for (table, rows) in rows(&store).await {
            assert_eq!(before.get(&table), Some(&rows), "{table} before {age}");
        }
        store.migrate().await.unwrap();
        for migration in &applied[..age - 1] {
            rows_come_back(&store, migration).await;
        }
        store.commit(create(1)).await.unwrap();
    }
}

#[tokio::test]
async fn all_migrations_go_down_one_by_one_and_up_again() {
    let migrations = migrations();
    let (_database, store) = aged(&migrations).await;
    let up = texts(&store, OBJECTS).await;
    assert!(up.len() > 60, "{up:#?}");
    for _ in &migrations {
        revert_last(&store).await;
    }
    assert_eq!(texts(&store, OBJECTS).await, Vec::<String>::new());
    assert_eq!(store.migrate().await, Ok(migrations));
    assert_eq!(texts(&store, OBJECTS).await, up);
    store.commit(create(1)).await.unwrap();
}

#[test]
fn every_fixture_belongs_to_a_migration() {
    let mut fixtures: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .filter_map(|file| {
            let file = file.unwrap().file_name().into_string().unwrap();
            file.strip_suffix(".sql").map(str::to_owned)
        })
        .collect();
    fixtures.sort();
    assert_eq!(fixtures, migrations());
}
