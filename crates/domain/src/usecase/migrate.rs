//! Moves to the provider's new account: the decision, and its five steps at the provider.
//!
//! [`moves`] says who is to be moved. Then, for each: [`look_up`] asks the old account,
//! [`record_found`] records a suppression found there before anything else happens,
//! [`carry_over`] puts the person into the new account and only then takes them out of the old
//! one, [`record_moves`] records that they have arrived. Each step may be done again: whoever
//! starts over after a failure loses nobody.

use time::OffsetDateTime;

use super::{Errand, Told, report::is_reported};
use crate::{
    outbox::Receipt,
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, Email, MigrationSource, MigrationToken, Subscriber, SubscriberId, migration,
        provider::{Found, Provider, ProviderError},
    },
};

/// What became of the wish to move somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Migration {
    /// They are on the way.
    Started,
    /// They had moved before, and stay as they are.
    Unchanged,
    /// Nobody has reported them.
    Unknown,
}

/// Moves people to the new account, in one commit.
pub async fn migrate(
    store: &dyn Store,
    emails: &[Email],
    source: MigrationSource,
    now: OffsetDateTime,
) -> Result<Vec<Migration>, StoreError> {
    let mut known = store.load_subscribers(emails).await?;
    let mut writes = WriteSet::new(now);
    let mut answers = Vec::with_capacity(emails.len());
    for email in emails {
        let Some(subscriber) = known.get_mut(email).filter(|known| is_reported(known)) else {
            answers.push(Migration::Unknown);
            continue;
        };
        answers.push(match migration::migrate(subscriber, source, now) {
            Some(change) => {
                *subscriber = change.record(&mut writes);
                Migration::Started
            }
            None => Migration::Unchanged,
        });
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(answers)
}

/// Moves the holder of a token to the new account because they confirmed it, and gives them as
/// they are afterwards; `None` when nobody who was reported holds it.
pub async fn confirm_migration(
    store: &dyn Store,
    token: &MigrationToken,
    now: OffsetDateTime,
) -> Result<Option<Subscriber>, StoreError> {
    let Some(holder) = super::find_subscriber_by_token(store, token).await? else {
        return Ok(None);
    };
    let source = MigrationSource::EmailConfirmation;
    let Some(change) = migration::migrate(&holder, source, now) else {
        return Ok(Some(holder));
    };
    let mut writes = WriteSet::new(now);
    let after = change.record(&mut writes);
    store.commit(writes).await?;
    Ok(Some(after))
}

/// Says who has to be moved for these tasks. Those that need nothing any more are finished on
/// the spot.
pub async fn moves(
    store: &dyn Store,
    tasks: &[(Receipt, SubscriberId)],
    now: OffsetDateTime,
) -> Result<Vec<Errand>, StoreError> {
    let ids: Vec<_> = tasks.iter().map(|(_, id)| *id).collect();
    let known = store.load_subscribers_by_id(&ids).await?;
    let mut writes = WriteSet::new(now);
    let mut errands = Vec::with_capacity(tasks.len());
    for &(receipt, id) in tasks {
        match known.get(&id).and_then(migration::due) {
            Some(telling) => errands.push(Errand {
                receipt,
                subscriber: id,
                telling,
            }),
            None => writes.done.push(receipt),
        }
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(errands)
}

/// Looks the person up in the old account.
pub async fn look_up(
    provider: &dyn Provider,
    errand: &Errand,
) -> Result<Option<Found>, ProviderError> {
    let email = &errand.telling.profile.email;
    provider.find(Account::Old, email).await
}

/// Records a suppression that the old account showed, and gives the errand as it is by now.
/// `None` when the person has arrived meanwhile; then the task is finished.
pub async fn record_found(
    store: &dyn Store,
    errand: &Errand,
    found: Option<&Found>,
    now: OffsetDateTime,
) -> Result<Option<Errand>, StoreError> {
    let id = errand.subscriber;
    let mut known = store.load_subscribers_by_id(&[id]).await?;
    let mut writes = WriteSet::new(now);
    let mut latest = known.remove(&id);
    if let (Some(subscriber), Some(status)) =
        (&mut latest, found.and_then(|it| it.status.suppression()))
        && let Some(change) = migration::found(subscriber, status, now)
    {
        *subscriber = change.record(&mut writes);
    }
    let telling = latest.as_ref().and_then(migration::due);
    if telling.is_none() {
        writes.done.push(errand.receipt);
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(telling.map(|telling| Errand {
        telling,
        ..errand.clone()
    }))
}

/// Puts the person into the new account, which starts its chain of e-mails, unless they are
/// suppressed; then takes them out of the old one.
pub async fn carry_over(
    provider: &dyn Provider,
    errand: &Errand,
    found: Option<&Found>,
) -> Result<Told, ProviderError> {
    let mut seen = None;
    if !errand.telling.status.is_suppressed() {
        let profile = &errand.telling.profile;
        let upserted = provider.upsert(Account::New, profile, true).await?;
        seen = upserted.status();
    }
    if let Some(found) = found {
        provider.remove(Account::Old, &found.id).await?;
    }
    Ok(errand.done(seen))
}

/// Records who has arrived in the new account and finishes the tasks, in one commit.
pub async fn record_moves(
    store: &dyn Store,
    told: &[Told],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let ids: Vec<_> = told.iter().map(|told| told.subscriber).collect();
    let known = store.load_subscribers_by_id(&ids).await?;
    let mut writes = WriteSet::new(now);
    for told in told {
        writes.done.push(told.receipt);
        let change = known
            .get(&told.subscriber)
            .and_then(|subscriber| migration::arrive(subscriber, &told.telling, now));
        if let Some(change) = change {
            change.record(&mut writes);
        }
    }
    store.commit(writes).await
}
