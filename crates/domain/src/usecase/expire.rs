//! The end of lifetimes.

use kernel::{SourceIdentifier, StoreError};
use time::OffsetDateTime;

use crate::{
    decision::{WriteSet, lapse::expire_if_overdue},
    store::Store,
};

/// Expires the named postings whose lifetime has ended, in one commit. [`Store::overdue`] names
/// them; a posting that was renewed meanwhile stays.
pub async fn expire(
    store: &dyn Store,
    overdue: &[SourceIdentifier],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut snapshot = store.load(overdue, &[]).await?;
    let mut writes = WriteSet::new(now);
    for identifier in overdue {
        let change = snapshot
            .postings
            .get(identifier)
            .and_then(|posting| expire_if_overdue(posting, now));
        if let Some(change) = change {
            change.record(&mut snapshot, &mut writes);
        }
    }
    if writes.is_empty() {
        return Ok(());
    }
    store.commit(writes).await
}
