//! Reports of the membership system.

use std::collections::HashSet;

use time::OffsetDateTime;

use super::{Reported, people::People};
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{Email, MigrationToken, PutSubscriber, Subscriber, departure, readdress, report},
};

/// Takes in reports in their order, each on the state that the one before it left, and
/// everything in one commit; but one that names a previous address has a commit of its own.
///
/// An error means that no answer was given and that the batch can be run again.
pub async fn put_subscribers(
    store: &dyn Store,
    batch: &[PutSubscriber],
    now: OffsetDateTime,
) -> Result<Vec<Reported>, StoreError> {
    let mut answers = Vec::with_capacity(batch.len());
    for reports in batch.chunk_by(|one, other| previous(one).or(previous(other)).is_none()) {
        match reports {
            [put] if let Some(previous) = previous(put) => {
                answers.push(put_readdressed(store, put, previous, now).await?);
            }
            _ => {
                let (answered, writes) = decide_subscribers(store, reports, now).await?;
                if !writes.is_empty() {
                    store.commit(writes).await?;
                }
                answers.extend(answered);
            }
        }
    }
    Ok(answers)
}

/// The address that a person had before, if it is another one.
fn previous(put: &PutSubscriber) -> Option<&Email> {
    put.previous.as_ref().filter(|before| **before != put.email)
}

/// Says what would become of reports that name no previous address, and what would be written.
pub async fn decide_subscribers(
    store: &dyn Store,
    batch: &[PutSubscriber],
    now: OffsetDateTime,
) -> Result<(Vec<Reported>, WriteSet), StoreError> {
    let emails: HashSet<_> = batch.iter().map(|put| put.email.clone()).collect();
    let emails: Vec<_> = emails.into_iter().collect();
    let mut people = People::load(store, &emails).await?;
    let mut writes = WriteSet::new(now);
    let mut answers = Vec::with_capacity(batch.len());
    for put in batch {
        let decided = report(people.get(&put.email), put, now);
        if let Some(change) = decided.change {
            people.record(change, &mut writes);
        }
        // What is neither known nor changed there is not.
        answers.extend(people.get(&put.email).map(|subscriber| Reported {
            subscriber: subscriber.clone(),
            is_new: decided.is_new,
        }));
    }
    Ok((answers, writes))
}

async fn put_readdressed(
    store: &dyn Store,
    put: &PutSubscriber,
    previous: &Email,
    now: OffsetDateTime,
) -> Result<Reported, StoreError> {
    let emails = [put.email.clone(), previous.clone()];
    let mut people = People::load(store, &emails).await?;
    let ghost = people.remembered(previous).map(|remembered| {
        let unused = (put.new_id, put.new_token.clone());
        departure::recalled(previous, remembered, unused, now).subscriber
    });
    let before = people.get(previous).cloned().or(ghost);
    let mut decided = readdress(before.as_ref(), people.get(&put.email), put, now);
    let mut writes = WriteSet::new(now);
    let is_new = decided.report.is_new;
    if let Some(change) = decided.report.change.take() {
        people.record(change, &mut writes);
    }
    decided.record(&mut writes);
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    let is_reported = |subscriber: &&Subscriber| is_reported(subscriber);
    let record = people
        .get(&put.email)
        .filter(is_reported)
        .or(before.as_ref());
    let subscriber = record.cloned();
    let subscriber =
        subscriber.ok_or_else(|| StoreError::Broken("a report left no record".to_owned()))?;
    Ok(Reported { subscriber, is_new })
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
