use time::OffsetDateTime;

use super::find_subscriber_by_token;
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{Change, MigrationSource, MigrationToken, Subscriber, migration, unsubscribe},
};

/// Starts the confirmed move of a token's holder. `None` if no reported subscriber holds it.
pub async fn confirm_migration(
    store: &dyn Store,
    token: &MigrationToken,
    now: OffsetDateTime,
) -> Result<Option<Subscriber>, StoreError> {
    let source = MigrationSource::EmailConfirmation;
    let decide = |holder: &Subscriber| migration::migrate(holder, source, now);
    decide_for_holder(store, token, now, decide).await
}

/// Unsubscribes the holder of a token. `None` if no reported subscriber holds it.
pub async fn unsubscribe_holder(
    store: &dyn Store,
    token: &MigrationToken,
    now: OffsetDateTime,
) -> Result<Option<Subscriber>, StoreError> {
    decide_for_holder(store, token, now, |holder| unsubscribe(holder, now)).await
}

async fn decide_for_holder(
    store: &dyn Store,
    token: &MigrationToken,
    now: OffsetDateTime,
    decide: impl FnOnce(&Subscriber) -> Option<Change> + Send,
) -> Result<Option<Subscriber>, StoreError> {
    let Some(holder) = find_subscriber_by_token(store, token).await? else {
        return Ok(None);
    };
    let Some(change) = decide(&holder) else {
        return Ok(Some(holder));
    };
    let mut writes = WriteSet::new(now);
    let after = change.record(&mut writes);
    store.commit(writes).await?;
    Ok(Some(after))
}
