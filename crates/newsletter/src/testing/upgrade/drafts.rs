//! What the rows of the migration `drafts` mean: a draft, an empty one, and a reservation.

use domain::enrichment::{DraftKey, Drafts, Reservation};
use time::Duration;

use crate::testing::{hours, minutes, noon, uuid};

pub(super) async fn come_back<S: Drafts>(store: &S) {
    let reserve = async |byte, after: Duration| {
        let (key, now) = (DraftKey::from_bytes([byte; 32]), noon() + after);
        let reserved = store.reserve(&key, uuid(0x502), now + hours(1), now);
        reserved.await.expect("the store works")
    };
    let kept = |draft: &str| Reservation::Kept(draft.to_owned());
    let full = r#"{"markdown":"Bygg 'saker' på Åcme.","verdict":"approve"}"#;
    assert_eq!(reserve(0xA5, hours(0)).await, kept(full));
    assert_eq!(reserve(0x00, hours(0)).await, kept(""));
    // It is reserved for an hour from noon.
    assert_eq!(reserve(0x5A, minutes(59)).await, Reservation::Taken);
    assert_eq!(reserve(0x5A, minutes(60)).await, Reservation::Granted);

    // The drafts were kept two and three days before, and are in use again.
    let forgotten = store.forget(noon() - hours(47), 9).await;
    assert_eq!(forgotten, Ok(0));
}
