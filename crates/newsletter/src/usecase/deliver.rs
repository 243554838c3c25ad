//! The listener of the newsletter's event.

use time::OffsetDateTime;

use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::SubscriberId,
};

/// Answers [`INDIVIDUAL_MEMBERSHIP_UPDATED`](crate::tasks::INDIVIDUAL_MEMBERSHIP_UPDATED) of
/// subscribers, in one commit. Doing it again is harmless.
///
/// It asks for a sync if the provider's state differs, which a lapse or renewal does not change.
/// The sync of a subscriber who is unchanged since the first report is bulk work.
pub async fn deliver(
    store: &dyn Store,
    people: &[SubscriberId],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    let known = store.load_by_id(people).await?;
    for subscriber in known.values().filter(|known| known.needs_sync()) {
        writes.tasks.ask(match subscriber.version {
            1 => subscriber.bulk_sync(),
            _ => subscriber.sync(),
        });
    }
    if writes.is_empty() {
        return Ok(());
    }
    store.commit(writes).await
}
