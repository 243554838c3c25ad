//! Events of the e-mail provider.

use std::collections::HashSet;

use time::OffsetDateTime;

use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{Notice, notice},
};

/// Takes in what the provider says, in one commit, in any order and however often.
pub async fn notice_events(
    store: &dyn Store,
    batch: &[Notice],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let emails: HashSet<_> = batch.iter().map(|said| said.event.email.clone()).collect();
    let emails: Vec<_> = emails.into_iter().collect();
    let mut known = store.load_subscribers(&emails).await?;
    let mut writes = WriteSet::new(now);
    for said in batch {
        let email = &said.event.email;
        if let Some(change) = notice(known.get(email), said, now) {
            known.insert(email.clone(), change.record(&mut writes));
        }
    }
    if writes.is_empty() {
        return Ok(());
    }
    store.commit(writes).await
}
