//! The posting that an operator names.

use domain::store::Store;
use kernel::{PostingId, SourceIdentifier, StoreError};
use uuid::Uuid;

pub async fn resolve(
    store: &dyn Store,
    id: &SourceIdentifier,
) -> Result<SourceIdentifier, StoreError> {
    let Ok(uuid) = Uuid::parse_str(id.as_str()) else {
        return Ok(id.clone());
    };
    let known = store.load(std::slice::from_ref(id), &[]).await?;
    if known.postings.contains_key(id) {
        return Ok(id.clone());
    }
    let known = store.load_by_id(&[PostingId::new(uuid)]).await?;
    let mut found = known.postings.into_keys();
    Ok(found.next().unwrap_or_else(|| id.clone()))
}
