//! Expires postings whose lifetime ended, and postings that imports of their catalogue missed.

use std::collections::HashMap;

use kernel::{CatalogueName, SourceIdentifier, StoreError};
use time::OffsetDateTime;

use crate::{
    catalogue::{CatalogueLease, Catalogues, Missed, Patience},
    decision::{
        WriteSet,
        lapse::{delist, expire_if_overdue, is_delisted},
    },
    store::Store,
};

/// Expires postings that `Reads::overdue` returned, in one commit. A posting that was renewed
/// meanwhile stays.
pub async fn expire(
    store: &dyn Store,
    overdue: &[SourceIdentifier],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut snapshot = store.load(overdue, &[]).await?;
    let mut writes = WriteSet::new(now);
    for identifier in overdue {
        let posting = snapshot.postings.get(identifier);
        if let Some(change) = posting.and_then(|posting| expire_if_overdue(posting, now)) {
            change.record(&mut snapshot, &mut writes);
        }
    }
    if writes.is_empty() {
        return Ok(());
    }
    store.commit(writes).await
}

/// The numbers of postings that an import missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delisted {
    /// The number of postings that were open before, including those that expired now.
    pub missing: u64,
    /// The number of postings that this import expired.
    pub expired: u64,
}

/// Counts an import's misses of postings that were open when it began, and expires postings with
/// too many misses, in one commit. The result includes postings that a commit in doubt expired.
/// Postings that were closed or moved to another catalogue meanwhile stay unchanged.
///
/// [`StoreError::Conflict`] also if the lease was lost.
pub async fn delist_missing(
    store: &dyn Store,
    catalogues: &dyn Catalogues,
    lease: CatalogueLease,
    name: &CatalogueName,
    patience: Patience,
    missing: &[SourceIdentifier],
    now: OffsetDateTime,
) -> Result<Delisted, StoreError> {
    let mut snapshot = store.load(missing, &[]).await?;
    let misses = if patience.is_none() {
        HashMap::new()
    } else {
        let ids: Vec<_> = snapshot.postings.values().map(|it| it.id).collect();
        catalogues.misses(lease.catalogue, &ids).await?
    };
    let mut writes = WriteSet::new(now);
    writes.optional.leases.insert(lease);
    let mut delisted = Delisted::default();
    for identifier in missing {
        let Some(posting) = snapshot.postings.get(identifier) else {
            continue;
        };
        if let Some(change) = delist(posting, lease.catalogue, name, now) {
            let before = misses.get(&posting.id).copied();
            let after = patience.after(before.unwrap_or_default());
            writes.optional.missed.insert(posting.id, after);
            delisted.missing += 1;
            if after == Missed::Expired {
                change.record(&mut snapshot, &mut writes);
                delisted.expired += 1;
            }
        } else if is_delisted(posting, lease.catalogue, name) {
            delisted.missing += 1;
            delisted.expired += 1;
        }
    }
    if !writes.optional.missed.is_empty() {
        store.commit(writes).await?;
    }
    Ok(delisted)
}
