//! The end of lifetimes.

use time::OffsetDateTime;

use crate::{
    posting::lifetime::expire_if_overdue,
    store::{Store, StoreError, WriteSet},
};

/// Expires up to `limit` postings whose lifetime has ended, and says how many were overdue. A
/// full batch means that there may be more.
pub async fn expire_overdue(
    store: &dyn Store,
    limit: usize,
    now: OffsetDateTime,
) -> Result<usize, StoreError> {
    let overdue = store.overdue(now, limit).await?;
    if overdue.is_empty() {
        return Ok(0);
    }
    let mut known = store.load(&overdue, &[]).await?;
    let mut writes = WriteSet::new(now);
    for identifier in &overdue {
        let change = known
            .postings
            .get(identifier)
            .and_then(|posting| expire_if_overdue(posting, now));
        if let Some(change) = change {
            change.record(&mut known, &mut writes);
        }
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(overdue.len())
}
