//! Concurrent commits of subscribers and leases of accounts.

use diesel_async::SimpleAsyncConnection;
use kernel::{
    StoreError,
    testing::{hours, noon, uuid},
};
use newsletter::{
    store::{Accounts, Store, SubscriberWrite, WriteSet},
    subscriber::{
        Account::{New, Old},
        PutSubscriber, Subscriber, SubscriberId, SubscriberStatus, report,
    },
    testing::{email, notice, subscriber, token},
    usecase,
};
use tokio::task::JoinSet;

use super::{
    another,
    concurrency::{one_wins, two, without_deadlock},
    fixture, number, until_waiting,
};
use crate::PostgresStore;

const ADDRESS: &str = "a@example.com";

/// A report of a subscriber, with its own id and token.
fn reported(name: &str) -> PutSubscriber {
    let mut put = newsletter::testing::report(ADDRESS, &format!(r#"{{"name":"{name}"}}"#));
    put.new_id = SubscriberId::new(uuid(1));
    put.new_token = token("another");
    put
}

/// The commit of a report that was decided while the address was unknown.
fn decided(put: &PutSubscriber) -> WriteSet {
    let mut writes = WriteSet::new(noon());
    let change = report(None, put, noon()).change;
    change.unwrap().record(&mut writes);
    writes
}

/// The commit of a suppression that was decided while the address was unknown.
fn suppressed() -> WriteSet {
    let mut writes = WriteSet::new(noon());
    let said = notice(ADDRESS, SubscriberStatus::Unsubscribed);
    let change = newsletter::subscriber::notice(None, &said, noon());
    change.unwrap().record(&mut writes);
    writes
}

/// Joins two commits into one.
fn join(mut one: WriteSet, other: WriteSet) -> WriteSet {
    one.subscribers.extend(other.subscribers);
    for effect in other.tasks.asked() {
        one.tasks.ask(effect);
    }
    one
}

async fn load(store: &PostgresStore) -> Subscriber {
    let mut known = store.load(&[email(ADDRESS)]).await.unwrap();
    known.remove(&email(ADDRESS)).unwrap()
}

/// Whichever commit comes second conflicts, and is decided again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_suppression_is_not_lost_in_a_race_with_a_report() {
    let (database, one, other) = two().await;
    let put = reported("Ann");
    for _ in 0..20 {
        let puts = || async {
            let mut outcome = one.commit(decided(&put)).await;
            while outcome == Err(StoreError::Conflict) {
                let answers = usecase::put_subscribers(&one, std::slice::from_ref(&put), noon());
                outcome = answers.await.map(drop);
            }
            outcome
        };
        let says = || async {
            let mut outcome = other.commit(suppressed()).await;
            while outcome == Err(StoreError::Conflict) {
                let said = [notice(ADDRESS, SubscriberStatus::Unsubscribed)];
                outcome = usecase::notice_events(&other, &said, noon()).await;
            }
            outcome
        };
        assert_eq!(tokio::join!(puts(), says()), (Ok(()), Ok(())));
        let stored = load(&one).await;
        assert_eq!(stored.status, SubscriberStatus::Unsubscribed);
        assert_eq!(stored.name.as_deref(), Some("Ann"));
        assert_eq!(stored.version, 2);
        super::run(&one, "TRUNCATE subscribers, outbox").await;
    }
    without_deadlock(&database, [one, other]).await;
}

/// A report waits while another transaction writes the same address.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_report_waits_for_a_suppression_that_is_being_written() {
    let (database, one, observer) = two().await;
    let blocker = another(&database).await;
    let mut blocker = blocker.connections.get().await.unwrap();
    for (end, outcome) in [("ROLLBACK", Ok(())), ("COMMIT", Err(StoreError::Conflict))] {
        super::run(&one, "TRUNCATE subscribers, outbox").await;
        let row = subscriber(ADDRESS);
        let insert = format!(
            "BEGIN; INSERT INTO subscribers (id, version, email, status, migration_arrived, \
             migration_token, updated_at) VALUES ('{}', 1, '{ADDRESS}', 'unsubscribed', false, \
             '{}', now())",
            row.id,
            row.token.reveal()
        );
        blocker.batch_execute(&insert).await.unwrap();
        let commit = {
            let one = one.clone();
            tokio::spawn(async move { one.commit(decided(&reported("Ann"))).await })
        };
        until_waiting(&observer, 1).await;
        blocker.batch_execute(end).await.unwrap();
        assert_eq!(commit.await.unwrap(), outcome, "{end}");
    }
    let answers = usecase::put_subscribers(&one, &[reported("Ann")], noon()).await;
    assert!(answers.unwrap()[0].is_new);
    let stored = load(&one).await;
    assert_eq!(stored.status, SubscriberStatus::Unsubscribed);
    assert_eq!(stored.name.as_deref(), Some("Ann"));
}

/// A commit that writes the `n`-th subscriber under this id.
fn writing(n: u128, id: u128, expected: Option<i64>) -> WriteSet {
    let address = format!("{n:04}@example.com");
    let mut writes = WriteSet::new(noon());
    let id = SubscriberId::new(uuid(id));
    let subscriber = Subscriber {
        id,
        token: token(&format!("{address} of {id}")),
        version: expected.map_or(1, |expected| expected + 1),
        ..subscriber(&address)
    };
    writes.tasks.ask(subscriber.sync());
    writes.subscribers.insert(
        id,
        SubscriberWrite {
            expected,
            subscriber,
        },
    );
    writes
}

#[tokio::test]
async fn a_token_has_one_holder() {
    let (_database, store) = fixture().await;
    store.commit(writing(1, 1, None)).await.unwrap();
    let mut taken = writing(2, 2, None);
    let theirs = writing(1, 1, None).subscribers.pop_first().unwrap().1;
    for write in taken.subscribers.values_mut() {
        write.subscriber.token = theirs.subscriber.token.clone();
    }
    assert_eq!(store.commit(taken).await, Err(StoreError::Conflict));
    let count = "SELECT count(*) AS value FROM subscribers";
    assert_eq!(number(&store, count).await, 1);
}

/// Ids are not in the order of addresses.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_imports_of_the_same_people_one_wins() {
    let (database, one, other) = two().await;
    for round in 0..10 {
        let of = |n: u128| round * 1_000 + n;
        let first = (0..200).map(|n| writing(of(n), of(n), None));
        let second = (0..200).map(|n| writing(of(n), 2_000_000 + of(999 - n), None));
        let first = first.reduce(join).unwrap();
        let second = second.reduce(join).unwrap();
        one_wins(one.commit(first), other.commit(second)).await;
    }
    for table in ["subscribers", "outbox"] {
        let count = format!("SELECT count(*) AS value FROM {table}");
        assert_eq!(number(&one, &count).await, 2_000, "{table}");
    }
    without_deadlock(&database, [one, other]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_changes_of_the_same_people_one_wins() {
    let (database, one, other) = two().await;
    let observer = another(&database).await;
    for round in 0..10 {
        let of = |n: u128| round * 1_000 + n;
        let created = (0..200).map(|n| writing(of(n), of(n), None));
        one.commit(created.reduce(join).unwrap()).await.unwrap();
        let change = |range: std::ops::Range<u128>| {
            let changes = range.map(|n| writing(of(n), of(n), Some(1)));
            changes.reduce(join).unwrap()
        };
        // Each commit changes some subscribers that the other does not, and adds one.
        let first = join(change(0..150), writing(of(500), of(600), None));
        let second = join(change(50..200), writing(of(501), of(599), None));
        // Another transaction holds both commits up until each has locked what it can.
        let mut blocker = observer.connections.get().await.unwrap();
        let block = format!(
            "BEGIN; SELECT FROM subscribers WHERE id = '{}' FOR UPDATE",
            uuid(of(100))
        );
        blocker.batch_execute(&block).await.unwrap();
        let release = async {
            until_waiting(&observer, 2).await;
            blocker.batch_execute("COMMIT").await.unwrap();
        };
        tokio::join!(one_wins(one.commit(first), other.commit(second)), release);
    }
    let changed = "SELECT count(*) AS value FROM subscribers WHERE version = 2";
    assert_eq!(number(&one, changed).await, 10 * 150);
    without_deadlock(&database, [one, other, observer]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn accounts_are_leased_by_one() {
    let (database, one, other) = two().await;
    for round in 0..10 {
        let now = noon() + hours(round);
        let mut leases = JoinSet::new();
        for n in 0..8_u128 {
            let store = if n % 2 == 0 { &one } else { &other }.clone();
            leases.spawn(async move {
                let accounts = if n < 4 { [Old, New] } else { [New, Old] };
                let until = now + hours(1);
                store.lease(&accounts, uuid(n), until, now).await.unwrap()
            });
        }
        let outcomes = leases.join_all().await;
        assert_eq!(outcomes.iter().filter(|is_leased| **is_leased).count(), 1);
    }
    without_deadlock(&database, [one, other]).await;
}

/// Some holders release accounts while others lease them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn accounts_are_leased_and_given_back_at_once() {
    let (database, one, other) = two().await;
    let mut work = JoinSet::new();
    for n in 0..4_u128 {
        let store = if n % 2 == 0 { &one } else { &other }.clone();
        work.spawn(async move {
            for _ in 0..25 {
                let until = noon() + hours(1);
                let lease = store.lease(&[Old, New], uuid(n), until, noon());
                if lease.await.unwrap() {
                    store.release(uuid(n)).await.unwrap();
                }
            }
        });
    }
    work.join_all().await;
    let left = "SELECT count(*) AS value FROM account_leases";
    assert_eq!(number(&one, left).await, 0);
    without_deadlock(&database, [one, other]).await;
}
