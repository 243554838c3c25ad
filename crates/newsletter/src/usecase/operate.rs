//! Decisions of operators, audited in the same commit.

use std::collections::HashSet;

use kernel::audit::Attribution;
use time::OffsetDateTime;

use super::{
    people::{People, follow},
    report::is_reported,
};
use crate::{
    audit,
    store::{Store, StoreError, WriteSet},
    subscriber::{
        MigrationToken, Notice, Subscriber, SubscriberId, SuppressionSource,
        operator::{self, ImportedSuppression},
    },
};

/// The outcome of an operator's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operated {
    /// The subscriber afterwards.
    pub subscriber: Subscriber,
    /// Whether it changed anything, and so was audited.
    pub is_news: bool,
}

/// Suppresses an address, known or not, in both accounts. A suppression as strong stays as it is.
pub async fn suppress(
    store: &dyn Store,
    notice: &Notice,
    reason: &str,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<Operated, StoreError> {
    let email = &notice.event.email;
    let mut people = People::load(store, std::slice::from_ref(email)).await?;
    let source = SuppressionSource::Operator;
    let decided = operator::suppress(people.get(email), notice, source, Some(reason), now);
    let is_news = decided.is_some();
    let mut writes = WriteSet::new(now);
    if let Some(change) = decided {
        people.record(change, &mut writes);
    }
    let subscriber = people.get(email).cloned().ok_or_else(|| {
        StoreError::Broken("an address that nobody knows was not suppressed".to_owned())
    })?;
    if !is_news {
        return Ok(Operated {
            subscriber,
            is_news,
        });
    }
    follow(store, people.departed(), &mut writes, now).await?;
    let entry = by.entry(audit::SUBSCRIBERS_SUPPRESS, now);
    let entry = entry.about(subscriber.id).with("reason", reason);
    writes.tasks.audit.push(entry);
    store.commit(writes).await?;
    Ok(Operated {
        subscriber,
        is_news: true,
    })
}

/// Reinstates a suppressed subscriber; `None` for an unknown id.
pub async fn reinstate(
    store: &dyn Store,
    id: SubscriberId,
    reason: &str,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<Option<Operated>, StoreError> {
    let mut known = store.load_by_id(&[id]).await?;
    let Some(subscriber) = known.remove(&id) else {
        return Ok(None);
    };
    let Some(change) = operator::reinstate(&subscriber, now) else {
        return Ok(Some(Operated {
            subscriber,
            is_news: false,
        }));
    };
    let mut writes = WriteSet::new(now);
    let entry = by.entry(audit::SUBSCRIBERS_REINSTATE, now);
    let entry = entry
        .about(id)
        .with("reason", reason)
        .with("was", subscriber.status.as_str());
    writes.tasks.audit.push(entry);
    let subscriber = change.record(&mut writes);
    store.commit(writes).await?;
    Ok(Some(Operated {
        subscriber,
        is_news: true,
    }))
}

/// Replaces a subscriber's migration token, which invalidates earlier links. `None` for an id that
/// is unknown or unreported. The audit entry contains neither token.
pub async fn rotate_token(
    store: &dyn Store,
    id: SubscriberId,
    token: &MigrationToken,
    reason: &str,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<Option<Subscriber>, StoreError> {
    let mut known = store.load_by_id(&[id]).await?;
    let Some(subscriber) = known.remove(&id).filter(is_reported) else {
        return Ok(None);
    };
    let mut writes = WriteSet::new(now);
    let entry = by.entry(audit::SUBSCRIBERS_ROTATE_TOKEN, now);
    writes
        .tasks
        .audit
        .push(entry.about(id).with("reason", reason));
    let subscriber = operator::rotate_token(&subscriber, token, now).record(&mut writes);
    store.commit(writes).await?;
    Ok(Some(subscriber))
}

/// Applies suppressions from a file, in their order and in one commit. Returns for each whether it
/// changed anything.
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
    let mut people = People::load(store, &emails).await?;
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
