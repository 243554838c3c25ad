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

use access::{Client, Clients, testing::client};
use async_trait::async_trait;
use diesel::{
    RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    dsl::sql,
    sql_types::{BigInt, Text},
};
use kernel::{ClientId, Prefixes, SourceIdentifier, StoreError, testing::AddClient};
use sql_common::testing::sample::{create, subscribe};
use tempfile::TempDir;

use crate::{SqliteStore, connection::Role};

async fn fixture() -> (TempDir, SqliteStore) {
    let (dir, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    store.migrate().await.unwrap();
    (dir, store)
}

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

#[async_trait]
impl AddClient for SqliteStore {
    async fn add_client(&self, id: ClientId, prefixes: Prefixes) -> Result<(), StoreError> {
        let client = Client {
            id,
            prefixes,
            ..client(1)
        };
        Clients::insert(self, &client, None).await
    }
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

fn number(conn: &mut SqliteConnection, query: &str) -> i64 {
    sql::<BigInt>(query).get_result(conn).unwrap()
}

fn writing(store: &SqliteStore) -> SqliteConnection {
    let mut conn = store.connections.connect(Role::Writer).unwrap();
    conn.batch_execute("BEGIN IMMEDIATE").unwrap();
    conn
}

fn begin_reading(conn: &mut SqliteConnection) {
    conn.batch_execute("BEGIN").unwrap();
    number(conn, "SELECT count(*) AS value FROM postings");
}

fn texts(conn: &mut SqliteConnection, query: &str) -> Vec<String> {
    sql::<Text>(query).load(conn).unwrap()
}

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
