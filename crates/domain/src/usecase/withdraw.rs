//! Withdrawals of suppressed people from the provider's accounts, on both sides of the calls,
//! which happen outside any transaction.

use time::OffsetDateTime;

use crate::{
    outbox::Receipt,
    posting::Version,
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, Subscriber, SubscriberId,
        provider::{Found, Provider, ProviderError},
        withdrawal,
    },
};

/// A look at one account, for a claimed task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The person as they were when the look began.
    pub subscriber: Subscriber,
    /// Where to look.
    pub account: Account,
}

/// The next of these accounts that has to be looked at for a person, if there is one.
pub async fn next_withdrawal(
    store: &dyn Store,
    id: SubscriberId,
    accounts: &[Account],
) -> Result<Option<Withdrawal>, StoreError> {
    let mut known = store.load_subscribers_by_id(&[id]).await?;
    Ok(known.remove(&id).and_then(|subscriber| {
        let account = subscriber
            .unquiet()
            .find(|account| accounts.contains(account))?;
        Some(Withdrawal {
            subscriber,
            account,
        })
    }))
}

/// Finishes the task of a person in whose accounts nothing is left to look at. What was learnt
/// since has asked for it anew, and makes it due once more.
pub async fn finish_withdrawal(
    store: &dyn Store,
    receipt: Receipt,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    writes.done.push(receipt);
    store.commit(writes).await
}

/// Looks the person up.
pub async fn look(
    provider: &dyn Provider,
    withdrawal: &Withdrawal,
) -> Result<Option<Found>, ProviderError> {
    let email = &withdrawal.subscriber.email;
    provider.find(withdrawal.account, email).await
}

/// Notes that the person is about to be unsubscribed, if that is needed by what is known now.
pub async fn begin_withdrawal(
    store: &dyn Store,
    withdrawal: &Withdrawal,
    found: Option<&Found>,
    now: OffsetDateTime,
) -> Result<Withdrawal, StoreError> {
    let Withdrawal {
        subscriber: looked,
        account,
    } = withdrawal;
    if !withdrawal::is_needed(looked, found) {
        return Ok(withdrawal.clone());
    }
    let mut known = store.load_subscribers_by_id(&[looked.id]).await?;
    let Some(mut subscriber) = known.remove(&looked.id) else {
        return Ok(withdrawal.clone());
    };
    let is_unchanged = is_at(&subscriber, looked.version);
    if withdrawal::is_needed(&subscriber, found)
        && let Some(change) = withdrawal::begin(&subscriber, *account, now)
    {
        let mut writes = WriteSet::new(now);
        subscriber = change.record(&mut writes);
        store.commit(writes).await?;
    }
    if !is_unchanged {
        // So that the account is looked at once more.
        subscriber.version = looked.version;
    }
    Ok(Withdrawal {
        subscriber,
        account: *account,
    })
}

/// Unsubscribes the person where that is needed.
pub async fn withdraw(
    provider: &dyn Provider,
    withdrawal: &Withdrawal,
    found: Option<&Found>,
) -> Result<(), ProviderError> {
    let Withdrawal {
        subscriber,
        account,
    } = withdrawal;
    match found {
        Some(found) if withdrawal::is_needed(subscriber, Some(found)) => {
            let email = &subscriber.email;
            provider.suppress(*account, email, &found.id).await
        }
        _ => Ok(()),
    }
}

/// Records what an account showed before the person was unsubscribed there.
pub async fn record_withdrawal(
    store: &dyn Store,
    withdrawal: &Withdrawal,
    found: Option<&Found>,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let Withdrawal {
        subscriber: Subscriber { id, version, .. },
        account,
    } = withdrawal;
    let known = store.load_subscribers_by_id(&[*id]).await?;
    let Some(subscriber) = known.get(id) else {
        return Ok(());
    };
    let is_unchanged = is_at(subscriber, *version);
    let mut writes = WriteSet::new(now);
    withdrawal::record(subscriber, *account, found, is_unchanged, now).record(&mut writes);
    store.commit(writes).await
}

const fn is_at(subscriber: &Subscriber, version: Version) -> bool {
    subscriber.version == version
}
