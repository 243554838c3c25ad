//! Clients that several processes write at the same time, and the cost of recording activity.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use access::{
    Activity, ActivityLog, Client, ClientChange, Clients,
    activity::{ActivityWrites, Counts, Refusal},
    testing::client,
};
use diesel_async::SimpleAsyncConnection;
use kernel::{
    ClientId, PutOutcome, StoreError,
    testing::{noon, uuid},
};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::{Database, another, number, patient, round_trips::counted};
use crate::{PostgresOptions, PostgresStore};

async fn inserted(store: &PostgresStore, n: u128) -> Client {
    let client = client(n);
    Clients::insert(store, &client, None).await.unwrap();
    client
}

fn pushes(clients: impl IntoIterator<Item = ClientId>, first: u128) -> ActivityWrites {
    let mut writes = ActivityWrites::default();
    for (client, n) in clients.into_iter().zip(first..) {
        let (at, counts) = (noon(), Counts::one(PutOutcome::Created));
        writes.days.push((client, at.date(), counts));
        writes.pushes.push((client, at));
        let refusal = Refusal::new(uuid(n), at, "job-1", 422, "No.", None);
        writes.refusals.push((client, refusal));
        writes.secrets.push((client, [7; 32], at));
    }
    writes
}

/// Concurrent writers of the same clients never deadlock, and do not cause conflicts for an
/// operator's concurrent change.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_may_record_at_once() {
    const CLIENTS: u128 = 20;
    const ROUNDS: u128 = 20;
    const PROCESSES: u128 = 4;
    let database = Database::migrated();
    let first = database.open(&patient()).await;
    let mut ids = Vec::new();
    for n in 0..CLIENTS {
        ids.push(inserted(&first, n).await.id);
    }
    let mut processes = JoinSet::new();
    for process in 0..PROCESSES {
        let store = another(&database).await;
        let mut ids = ids.clone();
        if process % 2 == 1 {
            ids.reverse();
        }
        processes.spawn(async move {
            for round in 0..ROUNDS {
                let n = (process * ROUNDS + round) * CLIENTS;
                store.record(&pushes(ids.clone(), n)).await.unwrap();
            }
        });
    }
    let operator = async {
        for round in 0..ROUNDS {
            let client = Clients::find(&first, ids[3]).await.unwrap().unwrap();
            let name = Some(format!("Name {round}"));
            let change = ClientChange {
                name,
                ..ClientChange::default()
            };
            let write = client.apply(&change).unwrap();
            Clients::update(&first, &write, None).await.unwrap();
        }
    };
    tokio::join!(processes.join_all(), operator);
    for id in ids {
        let activity = first.activity(id).await.unwrap();
        let expect = u64::try_from(PROCESSES * ROUNDS).unwrap();
        assert_eq!(activity.days[0].counts.created, expect);
    }
    let most = "SELECT max(n) AS value FROM \
        (SELECT count(*) AS n FROM client_refusals GROUP BY client_id) AS of_each";
    assert_eq!(number(&first, most).await, 50);
}

/// The caller keeps the activity that could not be written.
#[tokio::test]
async fn waiting_for_a_locked_client_soon_fails() {
    const ROW: Duration = Duration::from_millis(50);
    let database = Database::migrated();
    let options = PostgresOptions {
        row_lock_timeout: ROW,
        ..patient()
    };
    let store = database.open(&options).await;
    let ids = [inserted(&store, 1).await.id, inserted(&store, 2).await.id];
    let mut other = another(&database).await.connections.take().await.unwrap();
    let lock = format!(
        "BEGIN; SELECT FROM clients WHERE id = '{}' FOR UPDATE",
        uuid(2)
    );
    other.batch_execute(&lock).await.unwrap();
    let start = Instant::now();
    let refused = store.record(&pushes(ids, 0)).await;
    assert!(matches!(refused, Err(StoreError::Locked(_))), "{refused:?}");
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(store.activity(ids[0]).await, Ok(Activity::default()));
    other.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(store.record(&pushes(ids, 0)).await, Ok(()));
}

/// A commit whose answer was lost may be repeated.
#[tokio::test]
async fn a_refusal_is_written_once() {
    let database = Database::migrated();
    let store = database.open(&patient()).await;
    let id = inserted(&store, 1).await.id;
    for _ in 0..2 {
        assert_eq!(store.record(&pushes([id], 1)).await, Ok(()));
    }
    assert_eq!(store.activity(id).await.unwrap().refusals.len(), 1);
}

#[tokio::test]
async fn activity_of_any_size_takes_as_many_round_trips() {
    let database = Database::migrated();
    let (store, count) = counted(&database).await;
    let mut costs = Vec::new();
    for n in [1, 500] {
        let unknown = (0..n).map(|n| ClientId::new(Uuid::from_u128(n)));
        let writes = pushes(unknown, 0);
        count.store(0, Ordering::Relaxed);
        store.record(&writes).await.unwrap();
        costs.push(count.swap(0, Ordering::Relaxed));
    }
    assert_eq!(costs, [1, 1]);
}
