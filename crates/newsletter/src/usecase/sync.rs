use kernel::outbox::ClaimToken;
use time::OffsetDateTime;

use super::task::{TaskError, TaskPorts};
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, ProviderState, SubscriberId,
        provider::{Found, Provider, ProviderError, ProviderId, Upserted},
        sync::{self, Observation},
    },
};

/// Carries out a claimed sync from an account's queue.
pub async fn carry_out_sync(
    ports: &impl TaskPorts,
    token: ClaimToken,
    id: SubscriberId,
    account: Account,
) -> Result<(), TaskError> {
    let store = ports.store();
    // Read just before the call, to include changes that happened while the task waited.
    while let Some(job) = ports
        .again(|| Box::pin(begin_sync(store, token, id, account, ports.now())))
        .await?
    {
        let _alone = ports.alone(&job.state.profile.email).await;
        if !is_still_due(store, &job).await? {
            continue;
        }
        let observed = sync(ports.provider(), &job).await?;
        ports
            .again(|| Box::pin(record_sync(store, &job, &observed, ports.now())))
            .await?;
        break;
    }
    Ok(())
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProviderJob {
    pub token: ClaimToken,
    pub subscriber: SubscriberId,
    pub state: ProviderState,
    pub id: Option<ProviderId>,
    pub joins: bool,
}

async fn begin_sync(
    store: &dyn Store,
    token: ClaimToken,
    id: SubscriberId,
    account: Account,
    now: OffsetDateTime,
) -> Result<Option<ProviderJob>, StoreError> {
    let known = store.load_by_id(&[id]).await?;
    let mut writes = WriteSet::new(now);
    let due = known.get(&id).filter(|subscriber| subscriber.needs_sync());
    let mut job = None;
    if let Some(subscriber) = due {
        if subscriber.account() == account {
            if let Some(change) = sync::begin(subscriber, now) {
                change.record(&mut writes);
            }
            job = Some(ProviderJob {
                token,
                subscriber: id,
                state: subscriber.provider_state(),
                id: subscriber.places[account].id.clone(),
                joins: false,
            });
        } else {
            // The subscriber belongs to the other account now.
            writes.tasks.ask(subscriber.sync());
        }
    }
    if job.is_none() {
        writes.tasks.done.push(token);
    }
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(job)
}

/// While the job waited for the lock, the subscriber may have departed from the address.
async fn is_still_due(store: &dyn Store, job: &ProviderJob) -> Result<bool, StoreError> {
    let known = store.load_by_id(&[job.subscriber]).await?;
    let known = known.get(&job.subscriber);
    Ok(known.is_some_and(|known| known.departure.is_none() && known.provider_state() == job.state))
}

/// Never creates a subscriber who is suppressed, or whom the account has lost.
async fn sync(provider: &dyn Provider, job: &ProviderJob) -> Result<Observation, ProviderError> {
    let ProviderState {
        account,
        profile,
        status,
    } = &job.state;
    let known = if status.is_suppressed() {
        let found = provider.find(*account, &profile.email).await?;
        let Some(found) = found.filter(|found| !found.is_deleted) else {
            return Ok(job.absence());
        };
        Some(found.id)
    } else {
        job.id.clone()
    };
    let upserted = match known {
        None => provider.upsert(*account, profile, false).await?,
        Some(id) => match provider.update(*account, &id, profile).await? {
            Some(upserted) => upserted,
            None => return Ok(Observation::Missing),
        },
    };
    job.observe(provider, upserted).await
}

impl ProviderJob {
    pub(super) const fn absence(&self) -> Observation {
        match self.id {
            Some(_) => Observation::Missing,
            None => Observation::Nobody,
        }
    }

    /// Returns the account's record after an upsert. A refusal has no reason, so a lookup follows.
    pub(super) async fn observe(
        &self,
        provider: &dyn Provider,
        upserted: Upserted,
    ) -> Result<Observation, ProviderError> {
        let ProviderState {
            account, profile, ..
        } = &self.state;
        let found = match upserted {
            Upserted::Taken(found) => return Ok(Observation::Found(found)),
            Upserted::Suppressed => provider.find(*account, &profile.email).await?,
        };
        match found {
            Some(found) if found.is_deleted => Ok(Observation::Missing),
            Some(found) if found.status.suppression().is_some() => Ok(Observation::Found(found)),
            Some(Found { status, .. }) => Err(ProviderError::Permanent(format!(
                "the {account} account refuses the fields of a person, but shows the status {status}"
            ))),
            None => Err(ProviderError::Permanent(format!(
                "the {account} account refuses the fields of a person, but does not list the person"
            ))),
        }
    }
}

async fn record_sync(
    store: &dyn Store,
    job: &ProviderJob,
    observed: &Observation,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let known = store.load_by_id(&[job.subscriber]).await?;
    let mut writes = WriteSet::new(now);
    writes.tasks.done.push(job.token);
    if let Some(subscriber) = known.get(&job.subscriber) {
        sync::record(subscriber, &job.state, observed, now).record(&mut writes);
    }
    store.commit(writes).await
}
