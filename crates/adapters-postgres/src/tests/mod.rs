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

use access::{Client, Clients, testing::client};
use async_trait::async_trait;
use diesel::{
    dsl::sql,
    sql_types::{BigInt, Text},
};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use domain::{
    posting::{Findings, HistoryEntry},
    store::{PostingWrite, WriteSet},
    testing::posting,
};
use kernel::{
    Actor, ClientId, Prefixes, SourceIdentifier, StoreError,
    testing::{AddClient, noon},
};
use sql_common::testing::sample::{self, company, create_as, join, subscribe};

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

#[async_trait]
impl AddClient for PostgresStore {
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

fn create(n: u128) -> WriteSet {
    let mut writes = sample::create(n);
    for write in writes.postings.values_mut() {
        write.history.push(HistoryEntry {
            status: write.posting.status(),
            at: noon(),
            reason: None,
            by: Actor::Operator(None),
        });
    }
    writes
}

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
            findings: Findings::default(),
            decision: None,
            replaced: None,
            history: Vec::new(),
        },
    );
    writes
}

fn identifier(n: u128) -> SourceIdentifier {
    kernel::testing::identifier(&format!("job-{n}"))
}

async fn number(store: &PostgresStore, query: &str) -> i64 {
    let mut conn = store.connections.get().await.unwrap();
    sql::<BigInt>(query).get_result(&mut conn).await.unwrap()
}

async fn texts(store: &PostgresStore, query: &str) -> Vec<String> {
    let mut conn = store.connections.get().await.unwrap();
    sql::<Text>(query).load(&mut conn).await.unwrap()
}

async fn run(store: &PostgresStore, sql: &str) {
    try_run(store, sql).await.unwrap();
}

async fn try_run(store: &PostgresStore, sql: &str) -> diesel::QueryResult<()> {
    let mut conn = store.connections.get().await.unwrap();
    conn.batch_execute(sql).await
}

fn is_lost<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::InDoubt(_))) || is_unavailable(result)
}

fn is_unavailable<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Unavailable(_)))
}

async fn until_waiting(store: &PostgresStore, many: i64) {
    let waiting = "SELECT count(*) AS value FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while number(store, waiting).await < many {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// Runs work while a transaction that has run this statement blocks it. Ends the transaction when
/// this many connections wait.
async fn held_up<T>(
    database: &Database,
    (sql, end): (&str, &str),
    waiting: i64,
    work: impl Future<Output = T>,
) -> T {
    let observer = another(database).await;
    let mut blocker = observer.connections.get().await.unwrap();
    let begin = format!("BEGIN; {sql}");
    blocker.batch_execute(&begin).await.unwrap();
    let release = async {
        until_waiting(&observer, waiting).await;
        blocker.batch_execute(end).await.unwrap();
    };
    tokio::join!(work, release).0
}

fn locking(table: &str, id: u128) -> String {
    let id = kernel::testing::uuid(id);
    format!("SELECT FROM {table} WHERE id = '{id}' FOR UPDATE")
}

/// Closes the stores and opens another: the server counts a connection's work at its end.
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
