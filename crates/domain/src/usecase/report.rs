//! Reports of the membership system.

use std::collections::HashSet;

use time::OffsetDateTime;

use super::Reported;
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{Email, MigrationToken, PutSubscriber, Subscriber, report},
};

/// Takes in reports in their order, each on the state that the one before it left, and
/// everything in one commit.
///
/// An error means that no answer was given and that the batch can be run again.
pub async fn put_subscribers(
    store: &dyn Store,
    batch: &[PutSubscriber],
    now: OffsetDateTime,
) -> Result<Vec<Reported>, StoreError> {
    let (answers, writes) = decide_subscribers(store, batch, now).await?;
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(answers)
}

/// Says what would become of reports, and what would be written.
pub async fn decide_subscribers(
    store: &dyn Store,
    batch: &[PutSubscriber],
    now: OffsetDateTime,
) -> Result<(Vec<Reported>, WriteSet), StoreError> {
    let emails: HashSet<_> = batch.iter().map(|put| put.email.clone()).collect();
    let emails: Vec<_> = emails.into_iter().collect();
    let mut known = store.load_subscribers(&emails).await?;
    let mut writes = WriteSet::new(now);
    let mut answers = Vec::with_capacity(batch.len());
    for put in batch {
        let decided = report(known.get(&put.email), put, now);
        if let Some(change) = decided.change {
            known.insert(put.email.clone(), change.record(&mut writes));
        }
        // What is neither known nor changed there is not.
        answers.extend(known.get(&put.email).map(|subscriber| Reported {
            subscriber: subscriber.clone(),
            is_new: decided.is_new,
        }));
    }
    Ok((answers, writes))
}

/// Finds a person that was reported.
pub async fn find_subscriber(
    store: &dyn Store,
    email: &Email,
) -> Result<Option<Subscriber>, StoreError> {
    let mut known = store.load_subscribers(std::slice::from_ref(email)).await?;
    Ok(known.remove(email).filter(is_reported))
}

/// Finds the person who holds a token, if they were reported.
pub async fn find_subscriber_by_token(
    store: &dyn Store,
    token: &MigrationToken,
) -> Result<Option<Subscriber>, StoreError> {
    if !token.is_well_formed() {
        return Ok(None);
    }
    let holder = store.find_subscriber_by_token(token).await?;
    Ok(holder.filter(is_reported))
}

pub(super) const fn is_reported(subscriber: &Subscriber) -> bool {
    subscriber.reported_at.is_some()
}
