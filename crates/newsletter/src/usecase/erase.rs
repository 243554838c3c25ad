//! Erasure of subscribers, and the remembered suppressions of erased ones.

use kernel::audit::Attribution;
use time::OffsetDateTime;

use super::people::People;
use crate::{
    audit,
    store::{Store, StoreError, WriteSet},
    subscriber::{Email, MigrationToken, SubscriberId, departure},
};

/// Erases the subscriber of an address, reported or not: hidden from this commit on, and a worker
/// has both accounts forget the address. `false` for an unknown address. The audit entry of an
/// operator's command names the id alone.
pub async fn erase(
    store: &dyn Store,
    email: &Email,
    by: Option<&Attribution>,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let people = People::load(store, std::slice::from_ref(email)).await?;
    let Some(subscriber) = people.get(email) else {
        return Ok(people.remembered(email).is_some());
    };
    if let Some(change) = departure::erase(subscriber, now) {
        let mut writes = WriteSet::new(now);
        let id = change.record(&mut writes).id;
        let entry = by.map(|by| by.entry(audit::SUBSCRIBERS_ERASE, now).about(id));
        writes.tasks.audit.extend(entry);
        store.commit(writes).await?;
    }
    Ok(true)
}

/// Recreates the row of an address of which only a suppression is remembered, for an operator's
/// decision.
pub(super) async fn recall(
    store: &dyn Store,
    email: &Email,
    new: (SubscriberId, MigrationToken),
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut people = People::load(store, std::slice::from_ref(email)).await?;
    let Some(remembered) = people.remembered(email) else {
        return Ok(());
    };
    let mut writes = WriteSet::new(now);
    people.record(
        departure::recalled(email, remembered, new, now),
        &mut writes,
    );
    store.commit(writes).await
}
