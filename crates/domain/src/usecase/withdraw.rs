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

/// Looks the person up, and unsubscribes them where that is needed.
pub async fn withdraw(
    provider: &dyn Provider,
    withdrawal: &Withdrawal,
) -> Result<Option<Found>, ProviderError> {
    let Withdrawal {
        subscriber,
        account,
    } = withdrawal;
    let found = provider.find(*account, &subscriber.email).await?;
    if let Some(found) = found.as_ref()
        && withdrawal::is_needed(subscriber, Some(found))
    {
        provider
            .suppress(*account, &subscriber.email, &found.id)
            .await?;
    }
    Ok(found)
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
