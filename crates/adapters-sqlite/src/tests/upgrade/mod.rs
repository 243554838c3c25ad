//! Upgrades of files that have rows in every table, and the ways back.
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
    SqliteConnection,
    connection::SimpleConnection,
    migration::{Migration, MigrationSource},
    sqlite::Sqlite,
};
use diesel_migrations::MigrationHarness;
use domain::{
    store::{Store, WriteSet},
    testing::noon,
};
use newsletter::{
    tasks,
    testing::{subscriber_id, upgrade::rows_come_back},
};
use tempfile::TempDir;

use super::{create, number, place, texts};
use crate::{SqliteStore, connection::Role, migrations::MIGRATIONS};

/// Everything in the schema, with its definition.
const OBJECTS: &str = "SELECT sql AS value FROM sqlite_master WHERE sql IS NOT NULL \
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\' \
    ORDER BY sql";

const TABLES: &str = "SELECT name AS value FROM sqlite_master WHERE type = 'table' \
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\'";

/// The names of all migrations, in order.
fn migrations() -> Vec<String> {
    let known = MigrationSource::<Sqlite>::migrations(&MIGRATIONS).unwrap();
    let mut names: Vec<_> = known.iter().map(|known| known.name().to_string()).collect();
    names.sort();
    names
}

/// A file as it was after some of the migrations.
struct Aged {
    _dir: TempDir,
    store: SqliteStore,
    conn: SqliteConnection,
}

/// A file as it was after these migrations, with rows from the time of each.
fn aged(migrations: &[String]) -> Aged {
    let (dir, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    let mut conn = store.connections.connect(Role::Writer).unwrap();
    for name in migrations {
        conn.run_next_migration(MIGRATIONS).unwrap();
        let path = folder().join(name).with_extension("sql");
        let rows = fs::read_to_string(&path).unwrap_or_else(|error| {
            panic!(
                "the migration {name} needs rows from its time in {}: {error}",
                path.display()
            )
        });
        conn.batch_execute(&rows)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    for (table, rows) in rows(&mut conn) {
        assert!(rows > 0, "no fixture has a row for the table {table}");
    }
    Aged {
        _dir: dir,
        store,
        conn,
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/upgrade")
}

/// How many rows each table has.
fn rows(conn: &mut SqliteConnection) -> BTreeMap<String, i64> {
    let tables = texts(conn, TABLES);
    let count = |table: String| {
        let rows = number(conn, &format!("SELECT count(*) AS value FROM {table}"));
        (table, rows)
    };
    tables.into_iter().map(count).collect()
}

#[tokio::test]
async fn every_earlier_schema_becomes_the_newest_with_its_rows() {
    let migrations = migrations();
    for age in 1..=migrations.len() {
        let (applied, pending) = migrations.split_at(age);
        let mut file = aged(applied);
        let before = rows(&mut file.conn);
        assert_eq!(file.store.migrate().await.as_deref(), Ok(pending));
        let after = rows(&mut file.conn);
        for (table, rows) in &before {
            assert_eq!(after.get(table), Some(rows), "{table} after {age}");
        }
        for migration in applied {
            rows_come_back(&file.store, migration).await;
        }
        file.store.commit(create(1)).await.unwrap();
    }
}

#[tokio::test]
async fn each_migration_is_taken_back_and_leaves_the_rows_of_those_before() {
    let migrations = migrations();
    for age in 1..=migrations.len() {
        let applied = &migrations[..age];
        let mut file = aged(applied);
        let before = rows(&mut file.conn);
        file.conn.revert_last_migration(MIGRATIONS).unwrap();
        for (table, rows) in rows(&mut file.conn) {
            assert_eq!(before.get(&table), Some(&rows), "{table} before {age}");
        }
        file.store.migrate().await.unwrap();
        for migration in &applied[..age - 1] {
            rows_come_back(&file.store, migration).await;
        }
        file.store.commit(create(1)).await.unwrap();
    }
}

#[tokio::test]
async fn all_migrations_go_down_one_by_one_and_up_again() {
    let migrations = migrations();
    let mut file = aged(&migrations);
    let up = texts(&mut file.conn, OBJECTS);
    for _ in &migrations {
        file.conn.revert_last_migration(MIGRATIONS).unwrap();
    }
    assert_eq!(texts(&mut file.conn, OBJECTS), Vec::<String>::new());
    assert_eq!(file.store.migrate().await, Ok(migrations));
    assert_eq!(texts(&mut file.conn, OBJECTS), up);
    file.store.commit(create(1)).await.unwrap();
}

/// An operator may name a row that is gone.
#[tokio::test]
async fn no_id_of_a_task_is_used_again_after_the_table_was_built_anew() {
    let migrations = migrations();
    let before = migrations
        .iter()
        .position(|name| name.ends_with("_outbox_accounts"));
    let mut file = aged(&migrations[..before.unwrap()]);
    let last = number(&mut file.conn, "SELECT max(id) AS value FROM outbox");
    file.conn.batch_execute("DELETE FROM outbox").unwrap();
    file.store.migrate().await.unwrap();
    let mut writes = WriteSet::new(noon());
    writes
        .tasks
        .ask(tasks::migrate(subscriber_id("a@example.com")));
    file.store.commit(writes).await.unwrap();
    let next = number(&mut file.conn, "SELECT max(id) AS value FROM outbox");
    assert_eq!(next, last + 1);
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
