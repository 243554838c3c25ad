use std::collections::HashSet;

use kernel::audit::{Attribution, Entry};
use time::OffsetDateTime;

use super::people::{LoadedPeople, follow};
use crate::{
    audit,
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Change, MigrationToken, ReceivedEvent, Subscriber, SuppressionSource,
        operator::{self, ImportedSuppression},
    },
};

/// The outcome of an operator's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operated {
    /// The subscriber afterwards.
    pub subscriber: Subscriber,
    /// Whether the command changed anything. A command without a change is not audited.
    pub is_news: bool,
}

/// Suppresses an address, known or not, in both accounts. An equal or stronger suppression stays.
pub async fn suppress(
    store: &dyn Store,
    notice: &ReceivedEvent,
    reason: &str,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<Operated, StoreError> {
    let email = &notice.event.email;
    let mut people = LoadedPeople::load(store, std::slice::from_ref(email)).await?;
    let source = SuppressionSource::Operator;
    let change = operator::suppress(people.get(email), notice, source, Some(reason), now);
    let is_news = change.is_some();
    if let Some(change) = change {
        let mut writes = WriteSet::new(now);
        let id = people.record(change, &mut writes).id;
        follow(store, people.departed(), &mut writes, now).await?;
        let entry = by.entry(audit::SUBSCRIBERS_SUPPRESS, now);
        let entry = entry.about(id).with("reason", reason);
        writes.tasks.audit.push(entry);
        store.commit(writes).await?;
    }
    let subscriber = people
        .get(email)
        .cloned()
        .ok_or_else(|| StoreError::Broken("an unknown address was not suppressed".to_owned()))?;
    Ok(Operated {
        subscriber,
        is_news,
    })
}

/// Reinstates a suppressed subscriber.
pub async fn reinstate(
    store: &dyn Store,
    subscriber: Subscriber,
    reason: &str,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<Operated, StoreError> {
    let Some(change) = operator::reinstate(&subscriber, now) else {
        return Ok(Operated {
            subscriber,
            is_news: false,
        });
    };
    let entry = by.entry(audit::SUBSCRIBERS_REINSTATE, now);
    let entry = entry.with("reason", reason);
    let entry = entry.with("was", subscriber.status.as_str());
    Ok(Operated {
        subscriber: commit(store, change, entry).await?,
        is_news: true,
    })
}

/// Replaces a subscriber's migration token, which invalidates earlier links.
pub async fn rotate_token(
    store: &dyn Store,
    subscriber: &Subscriber,
    token: &MigrationToken,
    reason: &str,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<Subscriber, StoreError> {
    let change = operator::rotate_token(subscriber, token, now);
    let entry = by.entry(audit::SUBSCRIBERS_ROTATE_TOKEN, now);
    commit(store, change, entry.with("reason", reason)).await
}

async fn commit(store: &dyn Store, change: Change, entry: Entry) -> Result<Subscriber, StoreError> {
    let mut writes = WriteSet::new(entry.at);
    let after = change.record(&mut writes);
    writes.tasks.audit.push(entry.about(after.id));
    store.commit(writes).await?;
    Ok(after)
}

/// Applies suppressions in order, in one commit. Returns for each whether it changed anything.
pub async fn import_suppressions(
    store: &dyn Store,
    batch: &[ImportedSuppression],
    now: OffsetDateTime,
) -> Result<Vec<bool>, StoreError> {
    let emails: HashSet<_> = batch
        .iter()
        .map(|imported| imported.notice.event.email.clone())
        .collect();
    let emails: Vec<_> = emails.into_iter().collect();
    let mut people = LoadedPeople::load(store, &emails).await?;
    let mut writes = WriteSet::new(now);
    let mut news = Vec::with_capacity(batch.len());
    for imported in batch {
        let email = &imported.notice.event.email;
        let change = operator::import(people.get(email), imported, now);
        news.push(change.is_some());
        if let Some(change) = change {
            people.record(change, &mut writes);
        }
    }
    follow(store, people.departed(), &mut writes, now).await?;
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(news)
}
