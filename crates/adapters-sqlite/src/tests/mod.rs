//! The contract suite, and tests particular to SQLite.

mod drafts;
mod durability;
mod erasure;
mod events;
mod faults;
mod processes;
mod schema;
mod shared;
mod statements;

use std::path::PathBuf;

use diesel::{
    RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    dsl::sql,
    sql_types::{BigInt, Text},
};
use kernel::{SourceIdentifier, StoreError};
use sql_common::testing::sample::{create, subscribe};
use tempfile::TempDir;

use crate::{SqliteStore, connection::Role};

/// An empty store in a folder of its own.
async fn fixture() -> (TempDir, SqliteStore) {
    let (dir, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    store.migrate().await.unwrap();
    (dir, store)
}

/// A path for a database, in a folder of its own.
fn place() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data").join("posthaste.db");
    (dir, path)
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

mod contract {
    use super::{block_on, fixture};

    domain::contract_suite!(block_on, fixture());
    enrichment::contract_suite!(block_on, fixture());
    newsletter::contract_suite!(block_on, fixture());
    access::contract_suite!(block_on, fixture());
    webhooks::contract_suite!(block_on, fixture());
}

fn identifier(n: u128) -> SourceIdentifier {
    kernel::testing::identifier(&format!("job-{n}"))
}

/// The only number that a query returns.
fn number(conn: &mut SqliteConnection, query: &str) -> i64 {
    sql::<BigInt>(query).get_result(conn).unwrap()
}

/// A connection that has the write lock.
fn writing(store: &SqliteStore) -> SqliteConnection {
    let mut conn = store.connections.connect(Role::Writer).unwrap();
    conn.batch_execute("BEGIN IMMEDIATE").unwrap();
    conn
}

/// Begins a transaction that reads, and stays in it.
fn begin_reading(conn: &mut SqliteConnection) {
    conn.batch_execute("BEGIN").unwrap();
    number(conn, "SELECT count(*) AS value FROM postings");
}

/// The texts that a query returns.
fn texts(conn: &mut SqliteConnection, query: &str) -> Vec<String> {
    sql::<Text>(query).load(conn).unwrap()
}

/// Runs statements on a connection of the store.
fn run(store: &SqliteStore, sql: &str) {
    store
        .connections
        .connect(Role::Writer)
        .unwrap()
        .batch_execute(sql)
        .unwrap();
}

fn is_unavailable<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Unavailable(_)))
}
