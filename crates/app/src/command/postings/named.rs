use std::sync::Arc;

use domain::store::Store;
use kernel::{PostingId, SourceIdentifier, StoreError, audit::Attribution};
use stores::Stores;
use uuid::Uuid;
use workers::{Activities, Observer};

use crate::args::ChangeArgs;

/// Returns the operator, the database and the collected activity. The caller must write the
/// activity, so that verdicts count for the postings' clients.
pub async fn open(change: &ChangeArgs) -> anyhow::Result<(Attribution, Stores, Arc<Activities>)> {
    let activities = Arc::<Activities>::default();
    let (by, database) = change.open().await?;
    let observer = Observer {
        activities: Arc::clone(&activities),
        ..Observer::default()
    };
    Ok((by, observer.observe(database), activities))
}

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
