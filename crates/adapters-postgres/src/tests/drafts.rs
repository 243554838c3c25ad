use diesel_async::SimpleAsyncConnection;
use enrichment::{
    DraftCache, DraftKey,
    Reservation::{self, Granted, Kept, Taken},
};
use kernel::testing::{hours, noon, uuid};
use time::{Duration, OffsetDateTime};

use super::{concurrency::two, fixture, held_up, number, run, texts};
use crate::PostgresStore;

fn key(n: u8) -> DraftKey {
    DraftKey::from_bytes([n; 32])
}

async fn reserve(store: &PostgresStore, n: u8, holder: u128, now: OffsetDateTime) -> Reservation {
    let key = key(n);
    let asked = store.reserve(&key, uuid(holder), now + hours(1), now);
    asked.await.unwrap()
}

#[tokio::test]
async fn a_request_waits_for_a_key_that_is_being_written() {
    let (database, one, _other) = two().await;
    let reserving = "INSERT INTO drafts (key, holder, reserved_until, used_at) VALUES \
        (decode(repeat('01', 32), 'hex'), gen_random_uuid(), '2100-01-01', '2026-01-01')";
    let keeping = "INSERT INTO drafts (key, used_at, draft) VALUES \
        (decode(repeat('01', 32), 'hex'), '2026-01-01', 'a draft')";
    for (writing, end, answer, again) in [
        (reserving, "ROLLBACK", Granted, Granted),
        (reserving, "COMMIT", Taken, Taken),
        (keeping, "COMMIT", Taken, Kept("a draft".to_owned())),
    ] {
        run(&one, "TRUNCATE drafts").await;
        let asked = held_up(&database, (writing, end), 1, reserve(&one, 1, 1, noon()));
        assert_eq!(asked.await, answer, "{writing} {end}");
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

    // Once a day, a write is needed.
    let later = noon() + Duration::days(2);
    assert_eq!(reserve(&store, 2, 2, later).await, found);
    let refreshed = texts(&store, rows).await;
    assert_ne!(refreshed, written);
    assert_eq!(reserve(&store, 2, 2, later).await, found);
    assert_eq!(texts(&store, rows).await, refreshed);
}

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
