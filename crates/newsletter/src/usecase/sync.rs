//! Telling the provider about subscribers, on both sides of the call, which happens outside
//! any transaction.

use domain::outbox::Receipt;
use time::OffsetDateTime;

use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, ProviderState, SubscriberId,
        provider::{Found, Provider, ProviderError, ProviderId, Upserted},
        sync::{self, Due, Sight},
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
    pub state: ProviderState,
    /// The account's id of the person, if it has shown one.
    pub id: Option<ProviderId>,
    /// Whether the person joins the new account's group.
    pub joins: bool,
}

/// What came of an errand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The task.
    pub receipt: Receipt,
    /// Of whom.
    pub subscriber: SubscriberId,
    /// What was told.
    pub state: ProviderState,
    /// What the account showed.
    pub sight: Sight,
}

impl Errand {
    /// What was told, when the account showed this.
    pub(super) fn done(&self, sight: Sight) -> Told {
        Told {
            receipt: self.receipt,
            subscriber: self.subscriber,
            state: self.state.clone(),
            sight,
        }
    }
}

/// Says what the provider has to be told for a task, which was claimed from the queue of an
/// account. A task that needs nothing any more is finished on the spot.
pub async fn begin_sync(
    store: &dyn Store,
    receipt: Receipt,
    id: SubscriberId,
    account: Account,
    now: OffsetDateTime,
) -> Result<Option<Errand>, StoreError> {
    let known = store.load_by_id(&[id]).await?;
    let mut writes = WriteSet::new(now);
    let known = known.get(&id);
    let due = known.map(|subscriber| (subscriber, sync::due(subscriber, account)));
    let errand = match due {
        Some((subscriber, Due::Tell(state))) => {
            if let Some(change) = sync::begin(subscriber, now) {
                change.record(&mut writes);
            }
            Some(Errand {
                receipt,
                subscriber: id,
                state,
                id: subscriber.places[account].id.clone(),
                joins: false,
            })
        }
        Some((_, Due::Elsewhere(effect))) => {
            writes.tasks.ask(effect);
            None
        }
        Some((_, Due::Nothing)) | None => None,
    };
    if errand.is_none() {
        writes.tasks.done.push(receipt);
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(errand)
}

/// Whether what the errand tells still stands. While it waited for others to be done with the
/// address, the person may have been erased, or have got another one.
pub async fn is_still_due(store: &dyn Store, errand: &Errand) -> Result<bool, StoreError> {
    let known = store.load_by_id(&[errand.subscriber]).await?;
    let known = known.get(&errand.subscriber);
    Ok(known
        .is_some_and(|known| known.departure.is_none() && known.provider_state() == errand.state))
}

/// Tells the provider. Nobody is created who is suppressed, or whom the account had once and has
/// no more.
pub async fn sync(provider: &dyn Provider, errand: &Errand) -> Result<Told, ProviderError> {
    let ProviderState {
        account,
        profile,
        status,
    } = &errand.state;
    let known = if status.is_suppressed() {
        let found = provider.find(*account, &profile.email).await?;
        let Some(found) = found.filter(|found| !found.is_deleted) else {
            return Ok(errand.done(errand.absence()));
        };
        Some(found.id)
    } else {
        errand.id.clone()
    };
    let upserted = match known {
        None => provider.upsert(*account, profile, false).await?,
        Some(id) => match provider.update(*account, &id, profile).await? {
            Some(upserted) => upserted,
            None => return Ok(errand.done(Sight::Missing)),
        },
    };
    Ok(errand.done(errand.sight(provider, upserted).await?))
}

impl Errand {
    /// What it means that the account shows nobody.
    pub(super) const fn absence(&self) -> Sight {
        match self.id {
            Some(_) => Sight::Missing,
            None => Sight::Nobody,
        }
    }

    /// How the person stands after an upsert. An account that takes nothing for them says so
    /// without saying why, and is asked.
    pub(super) async fn sight(
        &self,
        provider: &dyn Provider,
        upserted: Upserted,
    ) -> Result<Sight, ProviderError> {
        let ProviderState {
            account, profile, ..
        } = &self.state;
        let found = match upserted {
            Upserted::Taken(found) => return Ok(Sight::Found(found)),
            Upserted::Suppressed => provider.find(*account, &profile.email).await?,
        };
        match found {
            Some(found) if found.is_deleted => Ok(Sight::Missing),
            Some(found) if found.status.suppression().is_some() => Ok(Sight::Found(found)),
            Some(Found { status, .. }) => Err(ProviderError::Permanent(format!(
                "the {account} account takes nothing for a person whom it shows as {status}"
            ))),
            None => Err(ProviderError::Permanent(format!(
                "the {account} account takes nothing for a person whom it does not show"
            ))),
        }
    }
}

/// Records what the provider was told and finishes the task, in one commit. Where there is more to
/// tell by now, the task becomes due once more.
pub async fn record_sync(
    store: &dyn Store,
    told: &Told,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let known = store.load_by_id(&[told.subscriber]).await?;
    let mut writes = WriteSet::new(now);
    writes.tasks.done.push(told.receipt);
    if let Some(subscriber) = known.get(&told.subscriber) {
        sync::record(subscriber, &told.state, &told.sight, now).record(&mut writes);
    }
    store.commit(writes).await
}
