//! Concurrent workers and owners of endpoints.

use std::{collections::HashSet, sync::atomic::Ordering};

use fields::Patch;
use kernel::{
    StoreError,
    event::Cursor,
    testing::{hours, noon, uuid},
};
use sql_common::testing::webhooks::{failed, leased, of, place, query, silent};
use tokio::task::JoinSet;
use webhooks::{
    Endpoint, EndpointChange, EndpointUrl, EndpointWrite, Lease, Recorded, Round, WaitingSubject,
    Webhooks, testing::endpoint,
};

use super::{
    Database, afterwards,
    concurrency::{two, without_deadlock},
    fixture, held_up, number,
    round_trips::counted,
};
use crate::PostgresStore;

fn moved(endpoint: &Endpoint) -> EndpointWrite {
    let url = format!("https://other.example/{}", endpoint.version);
    let change = EndpointChange {
        url: Patch::Set(EndpointUrl::from_store(&url).unwrap()),
        ..EndpointChange::default()
    };
    endpoint.apply(&change, noon() + hours(1)).unwrap()
}

/// Each call writes the endpoint, its waiting events, or both.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workers_and_owners_do_not_wait_for_each_other() {
    let (database, one, other) = two().await;
    let endpoint = endpoint(1);
    let many = || (1..=50).map(silent).collect::<Vec<_>>();
    for _ in 0..10 {
        leased(&one, &endpoint, uuid(1)).await;
        let first = Round {
            waiting: many(),
            ..of(&endpoint, 100)
        };
        assert_eq!(one.record(uuid(1), &first).await, Ok(Recorded::Done));
        let again = one.lease(&query(uuid(1), noon(), 9)).await.unwrap();
        assert_eq!(again.len(), 1);
        let round = Round {
            from: place(100),
            to: place(101),
            waiting: many().split_off(25),
            settled: (1..=25).rev().map(uuid).collect(),
            deliveries: (1..=50).map(failed).collect(),
            wakes_silent: true,
            at: noon() + hours(1),
            ..of(&endpoint, 101)
        };
        let disabling = Round {
            disabled: Some("It said so.".to_owned()),
            ..round.clone()
        };
        let mut calls = JoinSet::new();
        for n in 0..2 {
            let (store, round) = (if n == 0 { &one } else { &other }.clone(), round.clone());
            calls.spawn(async move { store.record(uuid(1), &round).await.map(drop) });
            let (store, round) = (one.clone(), disabling.clone());
            calls.spawn(async move { store.record(uuid(1), &round).await.map(drop) });
            let (store, write) = (other.clone(), moved(&endpoint));
            calls.spawn(async move { store.update(&write, None).await });
            let (store, id) = (one.clone(), endpoint.id);
            calls.spawn(async move { store.replay(id, place(30 - n), None).await.map(drop) });
            let store = other.clone();
            let held = Lease {
                endpoint: id,
                holder: uuid(1),
            };
            calls.spawn(async move { store.renew(&[held], noon()).await.map(drop) });
            let store = one.clone();
            calls.spawn(async move { store.lease(&query(uuid(2), noon(), 9)).await.map(drop) });
        }
        let (store, id) = (one.clone(), endpoint.id);
        calls.spawn(async move { store.delete(id, None).await.map(drop) });
        for outcome in calls.join_all().await {
            assert!(
                matches!(outcome, Ok(()) | Err(StoreError::Conflict)),
                "{outcome:?}"
            );
        }
        one.delete(endpoint.id, None).await.unwrap();
        let left = "SELECT (SELECT count(*) FROM webhook_waiting) \
            + (SELECT count(*) FROM webhook_deliveries) AS value";
        assert_eq!(number(&one, left).await, 0);
    }
    without_deadlock(&database, [one, other]).await;
}

async fn with_work(store: &PostgresStore) -> (Endpoint, Round) {
    let endpoint = endpoint(1);
    leased(store, &endpoint, uuid(1)).await;
    let later = WaitingSubject {
        next_at: noon() + hours(1),
        ..silent(1)
    };
    let first = Round {
        waiting: vec![later],
        ..of(&endpoint, 2)
    };
    assert_eq!(store.record(uuid(1), &first).await, Ok(Recorded::Done));
    let again = store.lease(&query(uuid(1), noon(), 9)).await.unwrap();
    assert_eq!(again.len(), 1);
    let next = Round {
        from: place(2),
        waiting: vec![silent(3)],
        deliveries: vec![failed(3)],
        ..of(&endpoint, 3)
    };
    (endpoint, next)
}

/// If a round waits for a replay, it finds the cursor moved. If it waits for another worker, it
/// finds its lease lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_round_that_waited_for_the_row_sees_its_change() {
    for sql in [
        "UPDATE webhook_endpoints SET number = 1",
        "UPDATE webhook_endpoints SET holder = gen_random_uuid()",
        "DELETE FROM webhook_endpoints",
    ] {
        let (database, store) = fixture().await;
        let (endpoint, round) = with_work(&store).await;
        let id = endpoint.id;
        let call = store.record(uuid(1), &round);
        let recorded = held_up(&database, (sql, "COMMIT"), 1, call).await;
        assert_eq!(recorded, Ok(Recorded::Lost), "{sql}");
        assert_eq!(store.deliveries(id, 9).await, Ok(Vec::new()), "{sql}");
        let waiting = store.waiting_among(id, &HashSet::from([uuid(3)])).await;
        assert_eq!(waiting, Ok(Vec::new()), "{sql}");
    }
}

/// Nothing is written if the owner changed the endpoint. A renewed lease is still the same lease.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_round_that_waited_for_the_owner_is_decided_again() {
    let (database, store) = fixture().await;
    let (endpoint, mut round) = with_work(&store).await;
    let sql = "UPDATE webhook_endpoints SET version = 2; \
        UPDATE webhook_waiting SET next_at = '2026-01-01'";
    let recorded = held_up(&database, (sql, "COMMIT"), 1, store.record(uuid(1), &round)).await;
    assert_eq!(recorded, Ok(Recorded::Changed));
    let cursor = async || {
        let found = Webhooks::find(&store, endpoint.id).await.unwrap();
        found.unwrap().cursor
    };
    assert_eq!(cursor().await, place(2));
    assert_eq!(store.deliveries(endpoint.id, 9).await, Ok(Vec::new()));
    round.version = 2;
    let sql = "UPDATE webhook_endpoints SET leased_until = now()";
    let recorded = held_up(&database, (sql, "COMMIT"), 1, store.record(uuid(1), &round)).await;
    assert_eq!(recorded, Ok(Recorded::Done));
    assert_eq!(cursor().await, place(3));
    let due = store.due(endpoint.id, noon(), 9).await.unwrap();
    let due: Vec<_> = due.iter().map(|it| it.next.cursor).collect();
    assert_eq!(due, [place(1), place(3)]);
    assert_eq!(store.deliveries(endpoint.id, 9).await.unwrap().len(), 1);
}

/// Rounds of any size take the same number of calls. Only the call that records a round takes one
/// more, because it first checks the lease.
#[tokio::test]
async fn calls_of_a_round_of_any_size_take_as_many() {
    let database = Database::migrated();
    let (store, count) = counted(&database).await;
    let endpoint = endpoint(1);
    leased(&store, &endpoint, uuid(1)).await;
    let mut from = Cursor::START;
    for n in [0, 1, 1_000] {
        let round = Round {
            from,
            waiting: (1..=n).map(silent).collect(),
            settled: (1..=n).map(|it| uuid(u128::from(5_000 + it))).collect(),
            deliveries: (1..=n).map(failed).collect(),
            ..of(&endpoint, 1 + n)
        };
        from = round.to;
        count.store(0, Ordering::Relaxed);
        assert_eq!(store.record(uuid(1), &round).await, Ok(Recorded::Done));
        let subjects: HashSet<_> = (0..n).map(|it| uuid(it.into())).collect();
        store.waiting_among(endpoint.id, &subjects).await.unwrap();
        store.due(endpoint.id, noon(), 1_000).await.unwrap();
        let again = store.lease(&query(uuid(1), noon(), 9)).await.unwrap();
        assert_eq!(again.len(), 1);
        let held = Lease {
            endpoint: endpoint.id,
            holder: uuid(1),
        };
        store.renew(&[held], noon()).await.unwrap();
        // Without subjects, one query is not needed.
        let calls = if n == 0 { 5 } else { 6 };
        assert_eq!(count.load(Ordering::Relaxed), calls);
    }
}

/// Leases and results of rounds change no indexed columns.
#[tokio::test]
async fn rounds_add_nothing_to_the_indexes_of_endpoints() {
    let (database, store) = fixture().await;
    let endpoint = endpoint(1);
    leased(&store, &endpoint, uuid(1)).await;
    for n in 0..20 {
        let round = Round {
            from: place(n),
            ..of(&endpoint, n + 1)
        };
        assert_eq!(store.record(uuid(1), &round).await, Ok(Recorded::Done));
        let again = store.lease(&query(uuid(1), noon(), 9)).await.unwrap();
        assert_eq!(again.len(), 1);
    }
    let observer = afterwards(&database, [store]).await;
    let others = "SELECT n_tup_upd - n_tup_hot_upd AS value FROM pg_stat_user_tables \
        WHERE relname = 'webhook_endpoints'";
    // Sometimes a page is full and a row moves. With an indexed column, every round would count.
    let others = number(&observer, others).await;
    assert!(others < 5, "{others}");
}
