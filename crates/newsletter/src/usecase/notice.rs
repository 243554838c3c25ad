use std::collections::HashSet;

use time::OffsetDateTime;

use super::people::{LoadedPeople, follow};
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{ReceivedEvent, notice},
};

/// Applies events of the provider in one commit, repeated or out of order.
pub async fn notice_events(
    store: &dyn Store,
    batch: &[ReceivedEvent],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let emails: HashSet<_> = batch.iter().map(|said| said.event.email.clone()).collect();
    let emails: Vec<_> = emails.into_iter().collect();
    let mut people = LoadedPeople::load(store, &emails).await?;
    let mut writes = WriteSet::new(now);
    for said in batch {
        let email = &said.event.email;
        // A delivery creates no row for an erased address with a remembered suppression.
        if people.get(email).is_none() && people.remembered(email).is_some() {
            continue;
        }
        if let Some(change) = notice(people.get(email), said, now) {
            people.record(change, &mut writes);
        }
    }
    follow(store, people.departed(), &mut writes, now).await?;
    if writes.is_empty() {
        return Ok(());
    }
    store.commit(writes).await
}
