//! Concurrent commits of several processes on one database.

use std::time::Duration;

use diesel_async::SimpleAsyncConnection;
use domain::{
    posting::{ENRICH, enrich, event},
    store::{Reads, Store, WriteSet},
};
use kernel::{
    PostingId, StoreError,
    event::{Event, PostingState, Subject},
    outbox::{Outbox, Revive},
    testing::{hours, minutes, noon, uuid},
};
use sql_common::testing::races::one_wins;
use tokio::task::JoinSet;

use super::{
    Database, afterwards, another, company, create, create_as, fixture, held_up, identifier, join,
    locking, number, patient, posting, retitle, run, until_waiting,
};
use crate::{PostgresOptions, PostgresStore};

pub(super) async fn two() -> (Database, PostgresStore, PostgresStore) {
    let (database, store) = fixture().await;
    run(
        &store,
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''20ms''', \
         current_database()); END $$",
    )
    .await;
    drop(store);
    let (one, other) = (another(&database).await, another(&database).await);
    (database, one, other)
}

pub(super) async fn without_deadlock(
    database: &Database,
    stores: impl IntoIterator<Item = PostgresStore>,
) {
    let observer = afterwards(database, stores).await;
    let deadlocks = "SELECT deadlocks AS value FROM pg_stat_database \
        WHERE datname = current_database()";
    assert_eq!(number(&observer, deadlocks).await, 0);
}

/// This holds even if a commit changes no existing posting.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn companies_come_before_postings_that_are_added() {
    let (database, one, other) = two().await;
    for round in 0..10 {
        let of = |n: u128| round * 1_000 + n;
        one.commit(create(of(0))).await.unwrap();
        let first = join([create(of(1)), retitle(of(0), "New")]);
        let mut second = create(of(1));
        second.postings = create_as(of(1), of(2)).postings;
        let lock = ("SELECT FROM companies FOR UPDATE", "COMMIT");
        let both = one_wins(one.commit(first), other.commit(second));
        held_up(&database, lock, 2, both).await;
    }
    without_deadlock(&database, [one, other]).await;
}

/// The commit locks postings before it writes. Otherwise every push for the company would wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_that_waits_for_a_posting_locks_no_company() {
    let (database, one, other) = two().await;
    one.commit(create(1)).await.unwrap();
    let mut writes = retitle(1, "New");
    writes.companies = create(1).companies;
    let observer = another(&database).await;
    let mut blocker = observer.connections.get().await.unwrap();
    blocker
        .batch_execute("BEGIN; SELECT FROM postings FOR UPDATE")
        .await
        .unwrap();
    let commit = tokio::spawn(async move { one.commit(writes).await });
    until_waiting(&observer, 1).await;
    let free = "SELECT count(*) AS value FROM \
        (SELECT FROM companies FOR UPDATE SKIP LOCKED) AS free";
    assert_eq!(number(&other, free).await, 1);
    blocker.batch_execute("COMMIT").await.unwrap();
    assert_eq!(commit.await.unwrap(), Ok(()));
}

/// A posting's tasks are therefore numbered in the order of commits.
#[tokio::test]
async fn a_commit_waits_for_postings_that_it_only_raises_events_for() {
    let (database, one, _other) = two().await;
    one.commit(create(1)).await.unwrap();
    let mut writes = WriteSet::new(noon());
    writes.tasks.events.push(Event {
        name: event::JOB_POSTING_UPDATED,
        subject: Subject::Posting(PostingState::from(&posting(1, company().id))),
        at: noon(),
        trace: None,
    });
    let lock = locking("postings", 1);
    let commit = held_up(&database, (&lock, "COMMIT"), 1, one.commit(writes));
    assert_eq!(commit.await, Ok(()));
}

/// Each commit adds or changes a posting for which the other waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn adding_a_posting_that_another_commit_changes_is_a_conflict() {
    let (database, one, other) = two().await;
    one.commit(create(1_000_000)).await.unwrap();
    for round in 0..10 {
        let of = |n: u128| round * 1_000 + n;
        let created = (0..3).map(|n| create_as(of(n), of(n)));
        one.commit(join(created)).await.unwrap();
        let first = join([retitle(of(0), "first"), retitle(of(2), "first")]);
        let second = join([create_as(of(0), of(9)), retitle(of(2), "second")]);
        let lock = locking("postings", of(2));
        let both = async { tokio::join!(one.commit(first), other.commit(second)) };
        let outcomes = held_up(&database, (&lock, "COMMIT"), 2, both).await;
        assert_eq!(outcomes, (Ok(()), Err(StoreError::Conflict)));
    }
    without_deadlock(&database, [one, other]).await;
}

/// Each commit changes its own postings, shares some with the other, and adds one. A third
/// transaction locks a shared posting until both wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_changes_of_the_same_postings_one_wins() {
    let (database, one, other) = two().await;
    one.commit(create(1_000_000)).await.unwrap();
    for round in 0..10 {
        let of = |n: u128| round * 1_000 + n;
        let created = (0..200).map(|n| create_as(of(n), of(n)));
        one.commit(join(created)).await.unwrap();
        let change = |title, range: std::ops::Range<u128>, added| {
            let changes = range.map(|n| retitle(of(n), title));
            join(changes.chain([added]))
        };
        let first = change("first", 0..150, create_as(of(500), of(600)));
        let second = change("second", 50..200, create_as(of(501), of(599)));
        let lock = locking("postings", of(100));
        let both = one_wins(one.commit(first), other.commit(second));
        held_up(&database, (&lock, "COMMIT"), 2, both).await;
    }
    let changed = "SELECT count(*) AS value FROM postings WHERE version = 2";
    assert_eq!(number(&one, changed).await, 10 * 150);
    without_deadlock(&database, [one, other]).await;
}

/// Workers finish tasks in claim order, while pushes request the same tasks in posting order.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_are_asked_for_and_finished_at_once() {
    let (database, one, other) = two().await;
    let effect = |n| enrich(PostingId::new(uuid(n)));
    let ask = move |range: std::ops::Range<u128>| {
        let mut writes = WriteSet::new(noon());
        for effect in range.map(effect) {
            writes.tasks.ask(effect);
        }
        writes
    };
    // The order of task numbers is the reverse of the order of subjects.
    for n in (0..30).rev() {
        one.commit(ask(n..n + 1)).await.unwrap();
    }
    for round in 0..20 {
        let now = noon() + hours(round);
        let lease = uuid(u128::try_from(round).unwrap());
        let claimed = one.claim(ENRICH, 30, minutes(1), lease, now).await.unwrap();
        assert_eq!(claimed.len(), 30);
        let tokens: Vec<_> = claimed.iter().map(|claimed| claimed.token).collect();
        let mut done = ask(0..10);
        done.tasks.done.clone_from(&tokens);
        let mut work = JoinSet::new();
        for store in [&one, &other] {
            let store = store.clone();
            work.spawn(async move { store.commit(ask(0..30)).await });
        }
        let store = other.clone();
        work.spawn(async move { store.renew(&tokens, now + minutes(2)).await });
        let store = one.clone();
        work.spawn(async move { store.commit(done).await });
        let store = other.clone();
        work.spawn(async move { store.revive(&Revive::All, None, now).await.map(|_| ()) });
        for outcome in work.join_all().await {
            assert_eq!(outcome, Ok(()));
        }
        one.commit(ask(0..30)).await.unwrap();
    }
    without_deadlock(&database, [one, other]).await;
}

#[tokio::test]
async fn readers_do_not_wait_for_writers() {
    let (_database, one, other) = two().await;
    one.commit(create(1)).await.unwrap();
    let mut conn = other.connections.get().await.unwrap();
    conn.batch_execute("BEGIN; SELECT FROM postings FOR UPDATE; SELECT FROM companies FOR UPDATE")
        .await
        .unwrap();
    let identifiers = [identifier(1)];
    let known = tokio::time::timeout(Duration::from_secs(10), one.load(&identifiers, &[]));
    assert_eq!(known.await.unwrap().unwrap().postings.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_commit_is_whole_or_not_there() {
    let database = Database::migrated();
    let options = PostgresOptions {
        max_connections: 2,
        ..patient()
    };
    let store = database.open(&options).await;
    for n in 0..200_u64 {
        // Stops waiting while the commit queues or runs.
        let wait = Duration::from_micros(n * 25);
        let _ = tokio::time::timeout(wait, store.commit(create(n.into()))).await;
    }
    store.commit(create(1_000)).await.unwrap();
    store.commit(create(1_001)).await.unwrap();
    let observer = another(&database).await;
    let open = "SELECT count(*) AS value FROM pg_stat_activity \
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
    while number(&observer, open).await > 0 {
        // Between two statements, a connection looks idle for a moment.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let halves = "SELECT count(*) AS value FROM postings FULL JOIN posting_history \
        ON posting_id = id WHERE id IS NULL OR posting_id IS NULL";
    assert_eq!(number(&observer, halves).await, 0);
    let whole = number(&observer, "SELECT count(*) AS value FROM postings").await;
    assert!((3..=202).contains(&whole), "{whole}");
}
