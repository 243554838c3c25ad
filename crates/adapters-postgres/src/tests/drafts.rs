//! Concurrent reservations of drafts, and their locks.

use diesel_async::SimpleAsyncConnection;
use enrichment::{
    DraftCache, DraftKey,
    Reservation::{self, Granted, Kept, Taken},
};
use kernel::testing::{hours, noon, uuid};
use time::{Duration, OffsetDateTime};
use tokio::task::JoinSet;

use super::{
    another,
    concurrency::{two, without_deadlock},
    fixture, number, run, texts, until_waiting,
};
use crate::PostgresStore;

fn key(n: u8) -> DraftKey {
    DraftKey::from_bytes([n; 32])
}

/// Reserves for an hour.
async fn reserve(store: &PostgresStore, n: u8, holder: u128, now: OffsetDateTime) -> Reservation {
    let key = key(n);
    let asked = store.reserve(&key, uuid(holder), now + hours(1), now);
    asked.await.unwrap()
}

/// New keys, and then keys whose reservations have expired.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_key_is_reserved_by_one() {
    let (database, one, other) = two().await;
    for round in [0, 1] {
        let now = noon() + hours(round);
        let mut asked = JoinSet::new();
        // All requests for one key come at once.
        for n in 0..20 {
            for holder in 0..20 {
                let store = if holder % 2 == 0 { &one } else { &other }.clone();
                let holder = holder + if round == 0 { 0 } else { 100 };
                asked.spawn(async move { (n, reserve(&store, n, holder, now).await) });
            }
        }
        let answers = asked.join_all().await;
        for n in 0..20 {
            let of_key = || answers.iter().filter(|answer| answer.0 == n);
            let are = |wanted| of_key().filter(|answer| answer.1 == wanted).count();
            assert_eq!((are(Granted), are(Taken)), (1, 19), "{n} in {round}");
        }
    }
    without_deadlock(&database, [one, other]).await;
}

/// Like workers: the one that reserves pays, the others wait; sometimes the paid draft is lost, or
/// unused drafts are deleted.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_draft_is_paid_for_once() {
    let (database, one, other) = two().await;
    let mut workers = JoinSet::new();
    for worker in 0..20_u128 {
        let store = if worker % 2 == 0 { &one } else { &other }.clone();
        workers.spawn(async move {
            let mut paid = 0;
            for n in 0..10_u8 {
                let mut may_fail = true;
                loop {
                    match reserve(&store, n, worker, noon()).await {
                        Granted if may_fail => {
                            store.release(&key(n), uuid(worker)).await.unwrap();
                            may_fail = false;
                        }
                        Granted => {
                            assert_eq!(reserve(&store, n, worker, noon()).await, Granted);
                            let draft = format!("{n} by {worker}");
                            store.keep(&key(n), &draft, None, noon()).await.unwrap();
                            paid += 1;
                        }
                        Taken => {
                            let forgotten = store.forget(noon(), 10).await;
                            assert_eq!(forgotten, Ok(0));
                        }
                        Kept(draft) => {
                            assert!(draft.starts_with(&format!("{n} by ")), "{draft}");
                            break;
                        }
                    }
                }
            }
            paid
        });
    }
    let paid: u32 = workers.join_all().await.into_iter().sum();
    assert_eq!(paid, 10);
    without_deadlock(&database, [one, other]).await;
}

/// A request waits while another transaction is writing the key.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_request_waits_for_a_key_that_is_being_written() {
    let (database, one, observer) = two().await;
    let blocker = another(&database).await;
    let mut blocker = blocker.connections.get().await.unwrap();
    let reserving = format!(
        "INSERT INTO drafts (key, holder, reserved_until, used_at) VALUES \
         (decode(repeat('01', 32), 'hex'), '{}', '2100-01-01', '2026-01-01')",
        uuid(9)
    );
    let keeping = "INSERT INTO drafts (key, used_at, draft) VALUES \
        (decode(repeat('01', 32), 'hex'), '2026-01-01', 'a draft')";
    for (writing, end, answer, again) in [
        (&*reserving, "ROLLBACK", Granted, Granted),
        (&*reserving, "COMMIT", Taken, Taken),
        (keeping, "COMMIT", Taken, Kept("a draft".to_owned())),
    ] {
        run(&one, "TRUNCATE drafts").await;
        let begin = format!("BEGIN; {writing}");
        blocker.batch_execute(&begin).await.unwrap();
        let asked = {
            let one = one.clone();
            tokio::spawn(async move { reserve(&one, 1, 1, noon()).await })
        };
        until_waiting(&observer, 1).await;
        blocker.batch_execute(end).await.unwrap();
        assert_eq!(asked.await.unwrap(), answer, "{writing} {end}");
        assert_eq!(reserve(&one, 1, 1, noon()).await, again, "{writing} {end}");
    }
}

#[tokio::test]
async fn an_answer_without_a_change_writes_nothing() {
    let (_database, store) = fixture().await;
    assert_eq!(reserve(&store, 1, 1, noon()).await, Granted);
    store.keep(&key(2), "a draft", None, noon()).await.unwrap();
    let rows = "SELECT concat_ws(' ', ctid, xmin, xmax, used_at) AS value FROM drafts ORDER BY key";
    let written = texts(&store, rows).await;
    let found = Kept("a draft".to_owned());
    for after in [Duration::ZERO, Duration::days(1)] {
        assert_eq!(reserve(&store, 2, 2, noon() + after).await, found);
    }
    assert_eq!(reserve(&store, 1, 2, noon()).await, Taken);
    assert_eq!(texts(&store, rows).await, written);

    // Except once a day of use.
    let later = noon() + Duration::days(2);
    assert_eq!(reserve(&store, 2, 2, later).await, found);
    let refreshed = texts(&store, rows).await;
    assert_ne!(refreshed, written);
    assert_eq!(reserve(&store, 2, 2, later).await, found);
    assert_eq!(texts(&store, rows).await, refreshed);
}

/// Deleting unused drafts passes by a row that another transaction has locked.
#[tokio::test]
async fn a_draft_that_is_being_written_is_not_deleted() {
    let (_database, one, other) = two().await;
    for n in [1, 2] {
        one.keep(&key(n), "a draft", None, noon()).await.unwrap();
    }
    let mut blocker = other.connections.get().await.unwrap();
    let update = "BEGIN; UPDATE drafts SET used_at = '2100-01-01' \
        WHERE key = decode(repeat('01', 32), 'hex')";
    blocker.batch_execute(update).await.unwrap();
    assert_eq!(one.forget(noon() + hours(1), 10).await, Ok(1));
    blocker.batch_execute("COMMIT").await.unwrap();
    assert_eq!(one.forget(noon() + hours(1), 10).await, Ok(0));
    let left = "SELECT count(*) AS value FROM drafts";
    assert_eq!(number(&one, left).await, 1);
}
