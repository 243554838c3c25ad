//! Erasing people, and remembering that they said no.

use domain::audit::Deed;
use time::OffsetDateTime;

use super::people::People;
use crate::{
    audit,
    store::{Store, StoreError, WriteSet},
    subscriber::{Email, MigrationToken, Subscriber, SubscriberId, departure},
};

/// Erases the person of an address, whether they were reported or not: from this commit on nobody
/// finds them, and a worker has both accounts forget them. `false` for an address that nobody
/// knows. Of an operator's command the audit tells, by the id alone.
pub async fn erase(
    store: &dyn Store,
    email: &Email,
    deed: Option<&Deed>,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let people = People::load(store, std::slice::from_ref(email)).await?;
    let Some(subscriber) = people.get(email) else {
        return Ok(people.remembered(email).is_some());
    };
    if let Some(change) = departure::erase(subscriber, now) {
        let mut writes = WriteSet::new(now);
        let id = change.record(&mut writes).id;
        let entry = deed.map(|deed| deed.entry(audit::SUBSCRIBERS_ERASE, now).about(id));
        writes.tasks.audit.extend(entry);
        store.commit(writes).await?;
    }
    Ok(true)
}

/// Makes a row again for an address of which nothing but a suppression is remembered, for an
/// operator who is about to decide about it; gives the row of one that has one. `None` for an
/// address that nobody knows.
pub async fn recall(
    store: &dyn Store,
    email: &Email,
    new: (SubscriberId, MigrationToken),
    now: OffsetDateTime,
) -> Result<Option<Subscriber>, StoreError> {
    let mut people = People::load(store, std::slice::from_ref(email)).await?;
    if let Some(remembered) = people.remembered(email) {
        let mut writes = WriteSet::new(now);
        people.record(
            departure::recalled(email, remembered, new, now),
            &mut writes,
        );
        store.commit(writes).await?;
    }
    Ok(people.get(email).cloned())
}
