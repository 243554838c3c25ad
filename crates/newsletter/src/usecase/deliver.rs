//! The newsletter's listener of its event.

use domain::outbox::Receipt;
use time::OffsetDateTime;

use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::SubscriberId,
};

/// Delivers [`INDIVIDUAL_MEMBERSHIP_UPDATED`](crate::tasks::INDIVIDUAL_MEMBERSHIP_UPDATED) of
/// people, and finishes the events' tasks, in one commit.
///
/// It asks for the sync of those of whom there is something to tell. A membership that lapses or
/// is renewed changes nothing for the provider, and so asks for nothing; and one of a person who
/// is as they were reported first waits with the bulk.
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
