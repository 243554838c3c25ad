//! The delivery of events to those who listen.

use time::OffsetDateTime;

use crate::{
    outbox::{Event, Receipt, Subject},
    store::{Store, StoreError, WriteSet},
};

/// Delivers events and finishes their tasks, in one commit.
///
/// The one listener there is sees to the sync of subscribers whose membership changed. A
/// membership that lapses or is renewed changes nothing for the provider, and so asks for
/// nothing; and one of a person who is as they were reported first waits with the bulk.
pub async fn deliver(
    store: &dyn Store,
    tasks: &[(Receipt, &Event)],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    writes.done = tasks.iter().map(|(receipt, _)| *receipt).collect();
    let subscribers: Vec<_> = tasks
        .iter()
        .filter_map(|(_, event)| match event.subject {
            Subject::Subscriber(id) => Some(id),
            Subject::Posting { .. } | Subject::Company(_) => None,
        })
        .collect();
    if !subscribers.is_empty() {
        let known = store.load_subscribers_by_id(&subscribers).await?;
        for subscriber in known.values().filter(|known| known.is_untold()) {
            writes.ask(match subscriber.version {
                1 => subscriber.bulk_sync(),
                _ => subscriber.sync(),
            });
        }
    }
    store.commit(writes).await
}
