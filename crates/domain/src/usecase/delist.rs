//! The end of an import of a catalogue.

use kernel::{CatalogueName, SourceIdentifier, StoreError};
use time::OffsetDateTime;

use crate::{
    catalogue::CatalogueLease,
    decision::{
        WriteSet,
        delisting::{delist, is_delisted},
    },
    store::Store,
};

/// Expires postings that were open when an import of their catalogue began and are not listed any
/// more, in one commit, and returns their number, with those that a commit in doubt has expired. One
/// that is not open any more, or belongs to another catalogue meanwhile, stays as it is.
///
/// [`StoreError::Conflict`] also if the lease is not held any more.
pub async fn delist_missing(
    store: &dyn Store,
    lease: CatalogueLease,
    name: &CatalogueName,
    missing: &[SourceIdentifier],
    now: OffsetDateTime,
) -> Result<usize, StoreError> {
    let mut snapshot = store.load(missing, &[]).await?;
    let mut writes = WriteSet::new(now);
    writes.import = Some(lease);
    let mut expired = 0;
    for identifier in missing {
        let Some(posting) = snapshot.postings.get(identifier) else {
            continue;
        };
        if let Some(change) = delist(posting, lease.catalogue, name, now) {
            change.record(&mut snapshot, &mut writes);
            expired += 1;
        } else if is_delisted(posting, lease.catalogue, name) {
            expired += 1;
        }
    }
    if !writes.postings.is_empty() {
        store.commit(writes).await?;
    }
    Ok(expired)
}
