//! The contract suite, and tests particular to PostgreSQL.

mod availability;
mod catalogues;
mod clients;
mod concurrency;
mod drafts;
mod events;
mod health;
mod locks;
mod online;
mod plans;
mod poolers;
mod round_trips;
mod schema;
mod shared;
mod subscribers;
mod webhooks;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text},
};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use domain::{
    posting::HistoryEntry,
    store::{PostingWrite, WriteSet},
    testing::posting,
};
use kernel::{Actor, SourceIdentifier, StoreError, testing::noon};
use sql_common::testing::sample::{self, company, subscribe};

use crate::{
    PostgresStore,
    testing::{Database, another, fixture, patient},
};

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
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

/// A commit that adds one posting, with a history.
fn create(n: u128) -> WriteSet {
    let mut writes = sample::create(n);
    for write in writes.postings.values_mut() {
        write.history.push(HistoryEntry {
            status: write.posting.status,
            at: noon(),
            reason: None,
            by: Actor::Operator(None),
        });
    }
    writes
}

/// A commit that changes the title of a posting at version 1.
fn retitle(n: u128, title: &str) -> WriteSet {
    let mut writes = WriteSet::new(noon());
    let mut posting = posting(n, company().id);
    posting.version = 2;
    title.clone_into(&mut posting.details.title);
    writes.postings.insert(
        posting.id,
        PostingWrite {
            expected: Some(1),
            posting,
            sets_description: false,
            enriched: None,
            decision: None,
            history: Vec::new(),
        },
    );
    writes
}

/// Joins two commits into one.
fn join(mut one: WriteSet, other: WriteSet) -> WriteSet {
    one.companies.extend(other.companies);
    one.postings.extend(other.postings);
    for effect in other.tasks.asked() {
        one.tasks.ask(effect);
    }
    one.tasks.events.extend(other.tasks.events);
    one.tasks.done.extend(other.tasks.done);
    one.tasks.audit.extend(other.tasks.audit);
    one
}

fn identifier(n: u128) -> SourceIdentifier {
    kernel::testing::identifier(&format!("job-{n}"))
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// The only number that a query returns, in its column `value`.
async fn number(store: &PostgresStore, query: &str) -> i64 {
    let mut conn = store.connections.get().await.unwrap();
    let row: Number = sql_query(query).get_result(&mut conn).await.unwrap();
    row.value
}

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = Text)]
    value: String,
}

/// The texts that a query returns, in its column `value`.
async fn texts(store: &PostgresStore, query: &str) -> Vec<String> {
    let mut conn = store.connections.get().await.unwrap();
    let rows: Vec<TextRow> = sql_query(query).load(&mut conn).await.unwrap();
    rows.into_iter().map(|row| row.value).collect()
}

/// Runs statements on the store's connection.
async fn run(store: &PostgresStore, sql: &str) {
    try_run(store, sql).await.unwrap();
}

async fn try_run(store: &PostgresStore, sql: &str) -> diesel::QueryResult<()> {
    let mut conn = store.connections.get().await.unwrap();
    conn.batch_execute(sql).await
}

/// Whether the error says that the server was lost.
fn is_lost<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::InDoubt(_))) || is_unavailable(result)
}

fn is_unavailable<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Unavailable(_)))
}

/// Waits until this many connections of the database wait for a lock.
async fn until_waiting(store: &PostgresStore, many: i64) {
    let waiting = "SELECT count(*) AS value FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while number(store, waiting).await < many {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// Closes stores, and opens another one to look at the server's counters: these have the work of a
/// connection once that has ended.
async fn afterwards(
    database: &Database,
    stores: impl IntoIterator<Item = PostgresStore>,
) -> PostgresStore {
    drop(Vec::from_iter(stores));
    let observer = another(database).await;
    let others = "SELECT count(*) AS value FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    while number(&observer, others).await > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    observer
}
