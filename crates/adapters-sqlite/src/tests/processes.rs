//! Several stores on one file, like several processes.

use std::time::{Duration, Instant};

use access::{Clients, testing::client};
use diesel::connection::SimpleConnection;
use domain::{
    posting::{ENRICH, enrich},
    store::{PostingReader, Store, WriteSet},
};
use kernel::{
    PostingId, StoreError,
    outbox::Outbox,
    testing::{minutes, noon, uuid},
};
use newsletter::{
    store::Accounts,
    subscriber::{self, Account, SubscriberId, SubscriberStatus},
    testing::{email, notice, report, token},
};

use super::{create, fixture, identifier, is_unavailable, number, place, subscribe};
use crate::{SqliteStore, connection::Role};

/// Two stores on one new file.
pub(super) async fn two() -> (tempfile::TempDir, SqliteStore, SqliteStore) {
    let (dir, path) = place();
    let one = SqliteStore::open(&path).unwrap();
    let other = SqliteStore::open(&path).unwrap();
    one.migrate().await.unwrap();
    (dir, one, other)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_contend_without_losing_writes() {
    let (_dir, one, other) = two().await;
    let commits = (0..100_u128).map(|n| {
        let store = if n % 2 == 0 {
            one.clone()
        } else {
            other.clone()
        };
        tokio::spawn(async move { store.commit(create(n)).await })
    });
    for commit in commits.collect::<Vec<_>>() {
        commit.await.unwrap().unwrap();
    }
    let mut conn = one.connections.connect(Role::Reader).unwrap();
    assert_eq!(
        number(&mut conn, "SELECT count(*) AS value FROM postings"),
        100
    );
    assert_eq!(
        number(&mut conn, "SELECT count(*) AS value FROM companies"),
        1
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_creates_of_an_identifier_wins() {
    let (_dir, one, other) = two().await;
    for n in 0..20 {
        let mut second = create(n);
        let (_, mut write) = second.postings.pop_first().unwrap();
        write.posting.id = PostingId::new(uuid(1_000 + n));
        second.postings.insert(write.posting.id, write);
        let (first, second) = tokio::join!(one.commit(create(n)), other.commit(second));
        let mut outcomes = [first, second];
        outcomes.sort_by_key(Result::is_err);
        assert_eq!(outcomes, [Ok(()), Err(StoreError::Conflict)]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_is_claimed_by_one() {
    let (_dir, one, other) = two().await;
    let mut writes = WriteSet::new(noon());
    for n in 0..200 {
        writes.tasks.ask(enrich(PostingId::new(uuid(n))));
    }
    one.commit(writes).await.unwrap();
    let claims = (0..40_u128).map(|n| {
        let store = if n % 2 == 0 {
            one.clone()
        } else {
            other.clone()
        };
        tokio::spawn(async move {
            store
                .claim(ENRICH, 7, minutes(1), uuid(n), noon())
                .await
                .unwrap()
        })
    });
    let mut tasks = Vec::new();
    for claim in claims.collect::<Vec<_>>() {
        tasks.extend(
            claim
                .await
                .unwrap()
                .into_iter()
                .map(|claimed| claimed.token.task),
        );
    }
    assert_eq!(tasks.len(), 200);
    tasks.sort_unstable();
    tasks.dedup();
    assert_eq!(tasks.len(), 200);
}

/// A report and a suppression race for a new address; one conflicts, is decided again, and nothing
/// is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suppression_is_not_lost_in_a_race_with_a_report() {
    let (_dir, one, other) = two().await;
    for n in 0..20 {
        let address = format!("{n}@example.com");
        let mut put = report(&address, r#"{"name":"Ann"}"#);
        put.new_id = SubscriberId::new(uuid(n));
        put.new_token = token(&n.to_string());
        // Both are decided while the address is unknown.
        let mut reported = newsletter::store::WriteSet::new(noon());
        let change = subscriber::report(None, &put, noon()).change;
        change.unwrap().record(&mut reported);
        let said = [notice(&address, SubscriberStatus::Unsubscribed)];
        let mut noticed = newsletter::store::WriteSet::new(noon());
        let change = subscriber::notice(None, &said[0], noon());
        change.unwrap().record(&mut noticed);

        let (first, second) = tokio::join!(
            newsletter::store::Store::commit(&one, reported),
            newsletter::store::Store::commit(&other, noticed),
        );
        match (first, second) {
            (Ok(()), Err(StoreError::Conflict)) => {
                let again = newsletter::usecase::notice_events(&other, &said, noon()).await;
                assert_eq!(again, Ok(()));
            }
            (Err(StoreError::Conflict), Ok(())) => {
                let again = newsletter::usecase::put_subscriber(&one, &put, noon()).await;
                assert!(again.is_ok(), "{again:?}");
            }
            outcomes => panic!("{outcomes:?}"),
        }
        let known = newsletter::store::Store::load(&one, &[email(&address)])
            .await
            .unwrap();
        let stored = &known[&email(&address)];
        assert_eq!(stored.status, SubscriberStatus::Unsubscribed);
        assert_eq!(stored.name.as_deref(), Some("Ann"));
    }
}

#[tokio::test]
async fn a_token_has_one_holder() {
    let (_dir, store) = fixture().await;
    newsletter::store::Store::commit(&store, subscribe())
        .await
        .unwrap();
    let mut taken = subscribe();
    let (_, mut write) = taken.subscribers.pop_first().unwrap();
    write.subscriber.id = SubscriberId::new(uuid(1));
    write.subscriber.email = email("b@example.com");
    taken.subscribers.insert(write.subscriber.id, write);
    assert_eq!(
        newsletter::store::Store::commit(&store, taken).await,
        Err(StoreError::Conflict)
    );
    let emails = [email("b@example.com")];
    let known = newsletter::store::Store::load(&store, &emails)
        .await
        .unwrap();
    assert!(known.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_are_leased_by_one() {
    let (_dir, one, other) = two().await;
    for round in 0..10 {
        let now = noon() + minutes(round);
        let leases = (0..8_u128).map(|n| {
            let store = if n % 2 == 0 {
                one.clone()
            } else {
                other.clone()
            };
            tokio::spawn(async move {
                let until = now + minutes(1);
                store.lease(Account::ALL, uuid(n), until, now).await
            })
        });
        let mut winners = 0;
        for lease in leases.collect::<Vec<_>>() {
            winners += usize::from(lease.await.unwrap().unwrap());
        }
        assert_eq!(winners, 1);
    }
}

#[tokio::test]
async fn one_store_sees_the_commits_of_another() {
    let (_dir, one, other) = two().await;
    assert_eq!(PostingReader::find(&other, &identifier(1)).await, Ok(None));
    one.commit(create(1)).await.unwrap();
    assert!(
        PostingReader::find(&other, &identifier(1))
            .await
            .unwrap()
            .is_some()
    );

    let client = client(1);
    one.insert(&client, None).await.unwrap();
    assert_eq!(
        Clients::find(&other, client.id)
            .await
            .unwrap()
            .unwrap()
            .revoked_at,
        None
    );
    let revoked = client.revoke(noon()).unwrap();
    one.update(&revoked, None).await.unwrap();
    assert_eq!(
        Clients::find(&other, client.id)
            .await
            .unwrap()
            .unwrap()
            .revoked_at,
        Some(noon())
    );
}

#[tokio::test]
async fn a_commit_gives_up_on_a_lock_that_stays() {
    let (_dir, path) = place();
    let busy_timeout = Duration::from_millis(200);
    let store = SqliteStore::open_with(&path, busy_timeout).unwrap();
    store.migrate().await.unwrap();
    let mut other = store.connections.connect(Role::Writer).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();

    let start = Instant::now();
    let commit = store.commit(create(1)).await;
    assert!(is_unavailable(&commit), "{commit:?}");
    assert!(start.elapsed() >= busy_timeout);
    // Readers do not wait.
    assert_eq!(PostingReader::find(&store, &identifier(1)).await, Ok(None));

    other.batch_execute("COMMIT").unwrap();
    store.commit(create(1)).await.unwrap();
}

#[tokio::test]
async fn an_idle_worker_does_not_take_the_write_lock() {
    let (_dir, store) = fixture().await;
    let mut other = store.connections.connect(Role::Writer).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let claimed = store.claim(ENRICH, 10, minutes(1), uuid(1), noon()).await;
    assert_eq!(claimed, Ok(Vec::new()));
}

#[tokio::test]
async fn a_file_that_vanished_does_not_come_back_empty() {
    let (_dir, path) = place();
    let store = SqliteStore::open(&path).unwrap();
    store.migrate().await.unwrap();
    std::fs::remove_file(&path).unwrap();
    let opened = store.connections.connect(Role::Writer).map(|_| ());
    assert!(is_unavailable(&opened), "{opened:?}");
    assert!(!path.exists());
}

#[tokio::test]
async fn a_path_may_have_any_characters() {
    let dir = tempfile::tempdir().unwrap();
    for name in [
        "a b.db",
        "50%.db",
        "what?.db",
        "a#b.db",
        "ü🦀.db",
        "file:x.db",
        "%41.db",
    ] {
        let path = dir.path().join(name);
        let store = SqliteStore::open(&path).unwrap();
        store.migrate().await.unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > 0, "{name}");
    }
}
