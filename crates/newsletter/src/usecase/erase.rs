use kernel::audit::Entry;
use time::OffsetDateTime;

use super::{people::LoadedPeople, report::is_reported};
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{Email, MigrationToken, SubscriberId, departure},
};

/// The subscriber that an erasure found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erased {
    /// A reported subscriber.
    Reported,
    /// A suppression without a report, or an earlier erasure.
    Hidden,
    /// No subscriber.
    Nothing,
}

/// Erases the subscriber of an address. From this commit on the API hides them, and a worker makes
/// both accounts forget the address. The audit entry contains only the id.
pub async fn erase(store: &dyn Store, email: &Email, entry: Entry) -> Result<Erased, StoreError> {
    let people = LoadedPeople::load(store, std::slice::from_ref(email)).await?;
    let Some(subscriber) = people.get(email) else {
        let is_remembered = people.remembered(email).is_some();
        return Ok(if is_remembered {
            Erased::Hidden
        } else {
            Erased::Nothing
        });
    };
    if let Some(change) = departure::erase(subscriber, entry.at) {
        let mut writes = WriteSet::new(entry.at);
        let id = change.record(&mut writes).id;
        writes.tasks.audit.push(entry.about(id));
        store.commit(writes).await?;
    }
    Ok(if is_reported(subscriber) {
        Erased::Reported
    } else {
        Erased::Hidden
    })
}

/// Recreates the row of an address of which only a suppression is remembered.
pub(super) async fn recall(
    store: &dyn Store,
    email: &Email,
    new: (SubscriberId, MigrationToken),
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut people = LoadedPeople::load(store, std::slice::from_ref(email)).await?;
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
