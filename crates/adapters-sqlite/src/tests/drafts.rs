//! Concurrent reservations of drafts.

use diesel::connection::SimpleConnection;
use enrichment::{
    DraftCache, DraftKey,
    Reservation::{Granted, Kept, Taken},
};
use kernel::testing::{hours, noon, uuid};
use time::Duration;

use super::{fixture, is_unavailable, processes::two};
use crate::{SqliteStore, connection::Role};

const KEY: DraftKey = DraftKey::from_bytes([7; 32]);

/// New keys, and then keys whose reservations have expired.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_reserved_by_one() {
    let (_dir, one, other) = two().await;
    for round in 0..2 {
        let now = noon() + hours(round);
        for n in 0..10 {
            let key = DraftKey::from_bytes([n; 32]);
            let asked = (0..8_u128).map(|asker| {
                let store = if asker % 2 == 0 {
                    one.clone()
                } else {
                    other.clone()
                };
                let holder = uuid(100 * u128::from(round.unsigned_abs()) + asker);
                tokio::spawn(async move {
                    let until = now + hours(1);
                    store.reserve(&key, holder, until, now).await.unwrap()
                })
            });
            let mut answers = Vec::new();
            for answer in asked.collect::<Vec<_>>() {
                answers.push(answer.await.unwrap());
            }
            let granted = answers.iter().filter(|answer| **answer == Granted).count();
            let taken = answers.iter().filter(|answer| **answer == Taken).count();
            assert_eq!((granted, taken), (1, 7), "{answers:?}");
        }
    }
}

/// A worker that waits for a draft asks often, and so does one that uses drafts.
#[tokio::test]
async fn an_answer_without_a_change_does_not_take_the_write_lock() {
    let (dir, store) = fixture().await;
    let path = dir.path().join("data").join("posthaste.db");
    let kept = DraftKey::from_bytes([8; 32]);
    let until = noon() + hours(1);
    let granted = store.reserve(&KEY, uuid(1), until, noon()).await;
    assert_eq!(granted, Ok(Granted));
    store.keep(&kept, "a draft", None, noon()).await.unwrap();

    let mut blocker = store.connections.connect(Role::Writer).unwrap();
    blocker.batch_execute("BEGIN IMMEDIATE").unwrap();
    let hasty = SqliteStore::open_with(&path, std::time::Duration::from_millis(50)).unwrap();
    let reserve = async |key, after| {
        let (until, now) = (until + after, noon() + after);
        hasty.reserve(key, uuid(2), until, now).await
    };
    assert_eq!(reserve(&KEY, Duration::ZERO).await, Ok(Taken));
    let found = Ok(Kept("a draft".to_owned()));
    assert_eq!(reserve(&kept, Duration::ZERO).await, found);
    assert_eq!(reserve(&kept, Duration::days(1)).await, found);
    // These answers need a change.
    for (key, after) in [(&KEY, hours(1)), (&kept, Duration::days(2))] {
        let refused = reserve(key, after).await;
        assert!(is_unavailable(&refused), "{refused:?}");
    }
    blocker.batch_execute("COMMIT").unwrap();
    assert_eq!(reserve(&kept, Duration::days(2)).await, found);
}
