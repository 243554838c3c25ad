//! Telling the provider about subscribers, on both sides of the call, which happens outside
//! any transaction.

use time::OffsetDateTime;

use crate::{
    outbox::Receipt,
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, SubscriberId, SubscriberStatus, Telling,
        provider::{Found, Provider, ProviderError, Upserted},
        sync::{self, Due},
    },
};

/// What to tell the provider for a claimed task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errand {
    /// The task.
    pub receipt: Receipt,
    /// Of whom.
    pub subscriber: SubscriberId,
    /// What.
    pub telling: Telling,
}

/// What came of an errand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The task.
    pub receipt: Receipt,
    /// Of whom.
    pub subscriber: SubscriberId,
    /// What was told, with the strongest status that was seen.
    pub telling: Telling,
}

impl Errand {
    /// What was told, when the provider showed these statuses.
    pub(super) fn done(&self, seen: impl IntoIterator<Item = SubscriberStatus>) -> Told {
        let mut telling = self.telling.clone();
        telling.status = seen.into_iter().fold(telling.status, SubscriberStatus::max);
        Told {
            receipt: self.receipt,
            subscriber: self.subscriber,
            telling,
        }
    }
}

/// Says what the provider has to be told for these tasks, which were claimed from the queues
/// of these accounts. Those that need nothing any more are finished on the spot.
pub async fn syncs(
    store: &dyn Store,
    tasks: &[(Receipt, SubscriberId, Account)],
    now: OffsetDateTime,
) -> Result<Vec<Errand>, StoreError> {
    let ids: Vec<_> = tasks.iter().map(|(_, id, _)| *id).collect();
    let known = store.load_subscribers_by_id(&ids).await?;
    let mut writes = WriteSet::new(now);
    let mut errands = Vec::with_capacity(tasks.len());
    for &(receipt, id, account) in tasks {
        let due = known
            .get(&id)
            .map(|subscriber| (subscriber, sync::due(subscriber, account)));
        match due {
            Some((subscriber, Due::Tell(telling))) => {
                if let Some(change) = sync::begin(subscriber, now) {
                    change.record(&mut writes);
                }
                errands.push(Errand {
                    receipt,
                    subscriber: id,
                    telling,
                });
            }
            Some((_, Due::Elsewhere(effect))) => {
                writes.ask(effect);
                writes.done.push(receipt);
            }
            Some((_, Due::Nothing)) | None => writes.done.push(receipt),
        }
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(errands)
}

/// Tells the provider. Someone suppressed who is not in the account is not put there.
pub async fn sync(provider: &dyn Provider, errand: &Errand) -> Result<Told, ProviderError> {
    let Telling {
        account,
        profile,
        status,
    } = &errand.telling;
    let mut seen = None;
    if status.is_suppressed() {
        let Some(found) = provider.find(*account, &profile.email).await? else {
            return Ok(errand.done([]));
        };
        seen = found.status.suppression();
    }
    let upserted = provider.upsert(*account, profile, false).await?;
    Ok(errand.done(seen.into_iter().chain(upserted.status())))
}

impl Upserted {
    /// How the person stands, where the account says so.
    pub(super) const fn status(&self) -> Option<SubscriberStatus> {
        match self {
            Self::Taken(Found { status, .. }) => status.suppression(),
            Self::Suppressed => None,
        }
    }
}

/// Records what the provider was told and finishes the tasks, in one commit. Where there is
/// more to tell by now, the task becomes due once more.
pub async fn record_syncs(
    store: &dyn Store,
    told: &[Told],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let ids: Vec<_> = told.iter().map(|told| told.subscriber).collect();
    let known = store.load_subscribers_by_id(&ids).await?;
    let mut writes = WriteSet::new(now);
    for told in told {
        writes.done.push(told.receipt);
        if let Some(subscriber) = known.get(&told.subscriber) {
            sync::record(subscriber, &told.telling, now).record(&mut writes);
        }
    }
    store.commit(writes).await
}
