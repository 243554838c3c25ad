//! The cases of the contract suite, by area. Each starts with an empty cache.

pub mod drafts;
pub mod erasure;

use kernel::testing::{Checked, hours, noon};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{DraftCache, DraftKey, Reservation};

fn key(n: u8) -> DraftKey {
    DraftKey::from_bytes([n; 32])
}

fn kept(draft: &str) -> Reservation {
    Reservation::Kept(draft.to_owned())
}

async fn reserve<S: DraftCache>(
    store: &S,
    n: u8,
    holder: Uuid,
    after: Duration,
) -> Checked<Reservation> {
    let now = noon() + after;
    reserve_until(store, n, holder, now + hours(1), now).await
}

async fn reserve_until<S: DraftCache>(
    store: &S,
    n: u8,
    holder: Uuid,
    until: OffsetDateTime,
    now: OffsetDateTime,
) -> Checked<Reservation> {
    Ok(store.reserve(&key(n), holder, until, now).await?)
}
