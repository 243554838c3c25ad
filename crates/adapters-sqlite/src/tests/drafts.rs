use diesel::connection::SimpleConnection;
use enrichment::{
    DraftCache, DraftKey,
    Reservation::{Granted, Kept, Taken},
};
use kernel::testing::{hours, noon, uuid};
use time::Duration;

use super::{fixture, is_unavailable};
use crate::SqliteStore;

const KEY: DraftKey = DraftKey::from_bytes([7; 32]);

/// Workers ask often, while they wait for a draft and when they use one.
#[tokio::test]
async fn an_answer_without_a_change_does_not_take_the_write_lock() {
    let (dir, store) = fixture().await;
    let path = dir.path().join("data").join("posthaste.db");
    let kept = DraftKey::from_bytes([8; 32]);
    let until = noon() + hours(1);
    let granted = store.reserve(&KEY, uuid(1), until, noon()).await;
    assert_eq!(granted, Ok(Granted));
    store.keep(&kept, "a draft", None, noon()).await.unwrap();

    let mut blocker = super::writing(&store);
    let hasty = SqliteStore::open_with(&path, std::time::Duration::from_millis(50)).unwrap();
    let reserve = async |key, after| {
        let (until, now) = (until + after, noon() + after);
        hasty.reserve(key, uuid(2), until, now).await
    };
    assert_eq!(reserve(&KEY, Duration::ZERO).await, Ok(Taken));
    let found = Ok(Kept("a draft".to_owned()));
    assert_eq!(reserve(&kept, Duration::ZERO).await, found);
    assert_eq!(reserve(&kept, Duration::days(1)).await, found);
    // These answers need a write.
    for (key, after) in [(&KEY, hours(1)), (&kept, Duration::days(2))] {
        let refused = reserve(key, after).await;
        assert!(is_unavailable(&refused), "{refused:?}");
    }
    blocker.batch_execute("COMMIT").unwrap();
    assert_eq!(reserve(&kept, Duration::days(2)).await, found);
}
