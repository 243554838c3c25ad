use std::collections::HashSet;

use time::OffsetDateTime;

use super::{Reported, people::LoadedPeople};
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{Email, MigrationToken, PutSubscriber, Subscriber, departure, readdress, report},
};

/// Applies a report in one commit. After an error it can be repeated.
pub async fn put_subscriber(
    store: &dyn Store,
    put: &PutSubscriber,
    now: OffsetDateTime,
) -> Result<Reported, StoreError> {
    let answers = put_subscribers(store, std::slice::from_ref(put), now).await?;
    answers.into_iter().next().ok_or_else(no_record)
}

/// Applies reports in order, in one commit. A report with a previous address has its own commit.
pub async fn put_subscribers(
    store: &dyn Store,
    batch: &[PutSubscriber],
    now: OffsetDateTime,
) -> Result<Vec<Reported>, StoreError> {
    let mut answers = Vec::with_capacity(batch.len());
    for reports in batch.chunk_by(|one, other| previous(one).or(previous(other)).is_none()) {
        if let [put] = reports
            && let Some(previous) = previous(put)
        {
            answers.push(put_readdressed(store, put, previous, now).await?);
            continue;
        }
        let (answered, writes) = decide_subscribers(store, reports, now).await?;
        if !writes.is_empty() {
            store.commit(writes).await?;
        }
        answers.extend(answered);
    }
    Ok(answers)
}

fn previous(put: &PutSubscriber) -> Option<&Email> {
    put.previous.as_ref().filter(|before| **before != put.email)
}

/// Decides reports without a previous address. Returns the outcomes and the writes.
pub async fn decide_subscribers(
    store: &dyn Store,
    batch: &[PutSubscriber],
    now: OffsetDateTime,
) -> Result<(Vec<Reported>, WriteSet), StoreError> {
    let emails: HashSet<_> = batch.iter().map(|put| put.email.clone()).collect();
    let emails: Vec<_> = emails.into_iter().collect();
    let mut people = LoadedPeople::load(store, &emails).await?;
    let mut writes = WriteSet::new(now);
    let mut answers = Vec::with_capacity(batch.len());
    for put in batch {
        answers.extend(take_in(&mut people, put, &mut writes));
    }
    Ok((answers, writes))
}

fn take_in(
    people: &mut LoadedPeople,
    put: &PutSubscriber,
    writes: &mut WriteSet,
) -> Option<Reported> {
    let decided = report(people.get(&put.email), put, writes.tasks.at);
    if let Some(change) = decided.change {
        people.record(change, writes);
    }
    people.get(&put.email).map(|subscriber| Reported {
        subscriber: subscriber.clone(),
        is_new: decided.is_new,
    })
}

fn no_record() -> StoreError {
    StoreError::Broken("a report left no record".to_owned())
}

async fn put_readdressed(
    store: &dyn Store,
    put: &PutSubscriber,
    previous: &Email,
    now: OffsetDateTime,
) -> Result<Reported, StoreError> {
    let emails = [put.email.clone(), previous.clone()];
    let mut people = LoadedPeople::load(store, &emails).await?;
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
    let subscriber = record.cloned().ok_or_else(no_record)?;
    Ok(Reported { subscriber, is_new })
}

/// Finds a reported subscriber.
pub async fn find_subscriber(
    store: &dyn Store,
    email: &Email,
) -> Result<Option<Subscriber>, StoreError> {
    let mut known = store.load(std::slice::from_ref(email)).await?;
    Ok(known.remove(email).filter(is_reported))
}

/// Finds the holder of a token, if reported.
pub async fn find_subscriber_by_token(
    store: &dyn Store,
    token: &MigrationToken,
) -> Result<Option<Subscriber>, StoreError> {
    if !token.is_well_formed() {
        return Ok(None);
    }
    let holder = store.find_by_token(token).await?;
    Ok(holder.filter(is_reported))
}

pub(super) const fn is_reported(subscriber: &Subscriber) -> bool {
    subscriber.reported_at.is_some()
}
