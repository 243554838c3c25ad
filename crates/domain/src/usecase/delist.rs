//! The end of an import of a catalogue.

use time::OffsetDateTime;

use crate::{
    catalogue::{CatalogueLease, CatalogueName},
    posting::{SourceIdentifier, delisting::delist},
    store::{Store, StoreError, WriteSet},
};

/// Expires postings that their catalogue does not list any more, in one commit, and returns their
/// number. One that has expired or belongs to another catalogue meanwhile stays as it is.
///
/// [`StoreError::Conflict`] also if the lease is not held any more.
pub async fn delist_missing(
    store: &dyn Store,
    lease: CatalogueLease,
    name: &CatalogueName,
    missing: &[SourceIdentifier],
    now: OffsetDateTime,
) -> Result<usize, StoreError> {
    let mut known = store.load(missing, &[]).await?;
    let mut writes = WriteSet::new(now);
    writes.import = Some(lease);
    for identifier in missing {
        let posting = known.postings.get(identifier);
        let change = posting.and_then(|posting| delist(posting, lease.catalogue, name, now));
        if let Some(change) = change {
            change.record(&mut known, &mut writes);
        }
    }
    let expired = writes.postings.len();
    if expired > 0 {
        store.commit(writes).await?;
    }
    Ok(expired)
}
