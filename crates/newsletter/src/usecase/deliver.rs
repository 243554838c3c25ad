//! The listener of the newsletter's event.

use domain::outbox::Receipt;
use time::OffsetDateTime;

use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::SubscriberId,
};

/// Delivers [`INDIVIDUAL_MEMBERSHIP_UPDATED`](crate::tasks::INDIVIDUAL_MEMBERSHIP_UPDATED) and
/// finishes the events' tasks in one commit.
///
/// It asks for a sync if the provider's state differs, which a lapse or renewal does not change.
/// The sync of a subscriber who is unchanged since the first report is bulk work.
pub async fn deliver(
    store: &dyn Store,
    tasks: &[(Receipt, SubscriberId)],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    writes.tasks.done = tasks.iter().map(|(receipt, _)| *receipt).collect();
    let people: Vec<_> = tasks.iter().map(|(_, id)| *id).collect();
    let known = store.load_by_id(&people).await?;
    for subscriber in known.values().filter(|known| known.needs_sync()) {
        writes.tasks.ask(match subscriber.version {
            1 => subscriber.bulk_sync(),
            _ => subscriber.sync(),
        });
    }
    store.commit(writes).await
}
