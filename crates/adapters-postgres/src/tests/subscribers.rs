use kernel::{
    StoreError,
    testing::{hours, noon, uuid},
};
use newsletter::{
    store::{Accounts, Store},
    subscriber::Account::{New, Old},
};
use sql_common::testing::{
    races::{at_once, one_wins},
    sample::subscribers,
};

use super::{
    concurrency::{two, without_deadlock},
    held_up, locking, number, run,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_new_subscriber_waits_for_an_address_that_is_being_written() {
    let (database, one, _other) = two().await;
    let insert = "INSERT INTO subscribers (id, version, email, status, migration_arrived, \
        migration_token, updated_at) VALUES (gen_random_uuid(), 1, '0001@example.com', \
        'unsubscribed', false, 'another', now())";
    for (end, outcome) in [("ROLLBACK", Ok(())), ("COMMIT", Err(StoreError::Conflict))] {
        run(&one, "TRUNCATE subscribers, outbox").await;
        let commit = one.commit(subscribers([(1, 1, None)]));
        let commit = held_up(&database, (insert, end), 1, commit).await;
        assert_eq!(commit, outcome, "{end}");
    }
}

/// Each commit changes its own subscribers, shares some with the other, and adds one. Another
/// transaction blocks both until each has its locks.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_changes_of_the_same_people_one_wins() {
    let (database, one, other) = two().await;
    for round in 0..10 {
        let of = |n: u128| round * 1_000 + n;
        let created = subscribers((0..200).map(|n| (of(n), of(n), None)));
        one.commit(created).await.unwrap();
        let change = |range: std::ops::Range<u128>, (n, id): (u128, u128)| {
            let changes = range.map(|n| (of(n), of(n), Some(1)));
            subscribers(changes.chain([(of(n), of(id), None)]))
        };
        let (first, second) = (change(0..150, (500, 600)), change(50..200, (501, 599)));
        let lock = locking("subscribers", of(100));
        let both = one_wins(one.commit(first), other.commit(second));
        held_up(&database, (&lock, "COMMIT"), 2, both).await;
    }
    let changed = "SELECT count(*) AS value FROM subscribers WHERE version = 2";
    assert_eq!(number(&one, changed).await, 10 * 150);
    without_deadlock(&database, [one, other]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn accounts_are_leased_and_given_back_at_once() {
    let (database, one, other) = two().await;
    at_once(&one, &other, 4, |store, n| async move {
        for _ in 0..25 {
            let until = noon() + hours(1);
            let lease = store.lease(&[Old, New], uuid(n), until, noon());
            if lease.await.unwrap() {
                store.release(uuid(n)).await.unwrap();
            }
        }
    })
    .await;
    let left = "SELECT count(*) AS value FROM account_leases";
    assert_eq!(number(&one, left).await, 0);
    without_deadlock(&database, [one, other]).await;
}
