//! Unsubscribing by the link in an e-mail.

use time::OffsetDateTime;

use super::find_subscriber_by_token;
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{MigrationToken, Subscriber, unsubscribe},
};

/// Unsubscribes the holder of a token. Returns the subscriber afterwards; `None` if no reported
/// subscriber holds it.
pub async fn unsubscribe_holder(
    store: &dyn Store,
    token: &MigrationToken,
    now: OffsetDateTime,
) -> Result<Option<Subscriber>, StoreError> {
    let Some(holder) = find_subscriber_by_token(store, token).await? else {
        return Ok(None);
    };
    let Some(change) = unsubscribe(&holder, now) else {
        return Ok(Some(holder));
    };
    let mut writes = WriteSet::new(now);
    let after = change.record(&mut writes);
    store.commit(writes).await?;
    Ok(Some(after))
}
