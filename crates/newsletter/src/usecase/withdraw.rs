//! Withdrawals of suppressed people from the provider's accounts, and departures of addresses from
//! them, on both sides of the calls, which happen outside any transaction.

use domain::{Version, outbox::Receipt};
use time::OffsetDateTime;

use super::people::{follow, present};
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, Subscriber, SubscriberId, departure,
        provider::{Found, Provider, ProviderError},
        withdrawal::{self, Act},
    },
};

/// A look at one account, for a claimed task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The person as they were when the look began.
    pub subscriber: Subscriber,
    /// Where to look.
    pub account: Account,
    /// What to do about a person who is there.
    pub act: Act,
}

/// How a withdrawal goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextLook {
    /// With this look.
    Look(Box<Withdrawal>),
    /// Later, with the task as it is.
    Wait(Waiting),
    /// Not at all: nothing is left to look at.
    Over,
}

/// What a departure waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// That the person's new address is told: until then the old one is what they get mail at.
    ForSuccessor,
    /// That the other account can be called, which has no key.
    ForKey,
}

/// The next of these accounts that has to be looked at for a person, if there is one.
pub async fn next_withdrawal(
    store: &dyn Store,
    id: SubscriberId,
    accounts: &[Account],
) -> Result<NextLook, StoreError> {
    let mut known = store.load_by_id(&[id]).await?;
    let Some(subscriber) = known.remove(&id) else {
        return Ok(NextLook::Over);
    };
    let unquiet: Vec<_> = subscriber.unquiet().collect();
    if unquiet.is_empty() {
        return Ok(NextLook::Over);
    }
    let account = unquiet.into_iter().find(|it| accounts.contains(it));
    let act = if subscriber.departure.is_none() {
        Act::Suppress
    } else {
        let successor = present(store, &subscriber).await?;
        match departure::act(&subscriber, successor.as_ref()) {
            Some(act) => act,
            None => return Ok(NextLook::Wait(Waiting::ForSuccessor)),
        }
    };
    Ok(match account {
        Some(account) => NextLook::Look(Box::new(Withdrawal {
            subscriber,
            account,
            act,
        })),
        None if subscriber.departure.is_some() => NextLook::Wait(Waiting::ForKey),
        None => NextLook::Over,
    })
}

/// Finishes the task of a person in whose accounts nothing is left to look at, and takes away the
/// row of an address that is in neither. What was learnt since has asked for it anew, and makes it
/// due once more.
pub async fn finish_withdrawal(
    store: &dyn Store,
    id: SubscriberId,
    receipt: Receipt,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    writes.tasks.done.push(receipt);
    let known = store.load_by_id(&[id]).await?;
    if let Some(subscriber) = known.get(&id).filter(|it| it.departure.is_some()) {
        let has_successor = present(store, subscriber).await?.is_some();
        if let Some(end) = departure::end(subscriber, has_successor, now) {
            end.record(id, &mut writes);
        }
    }
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
        act,
    } = withdrawal;
    if *act != Act::Suppress || !withdrawal::is_needed(looked, found) {
        return Ok(withdrawal.clone());
    }
    let known = store.load_by_id(&[looked.id]).await?;
    // Of the address that was looked up the departure takes care if the person has another one.
    let known = known.into_values().find(|it| it.email == looked.email);
    let Some(mut subscriber) = known else {
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
        act: *act,
    })
}

/// Unsubscribes the person or takes them out where that is needed.
pub async fn withdraw(
    provider: &dyn Provider,
    withdrawal: &Withdrawal,
    found: Option<&Found>,
) -> Result<(), ProviderError> {
    let Withdrawal {
        subscriber,
        account,
        act,
    } = withdrawal;
    let Some(found) = found else {
        return Ok(());
    };
    match act {
        Act::Suppress if withdrawal::is_needed(subscriber, Some(found)) => {
            let email = &subscriber.email;
            provider.suppress(*account, email, &found.id).await
        }
        // It is recorded first.
        Act::Remove | Act::Forget if departure::is_news(*account, subscriber, found) => Ok(()),
        Act::Remove if !found.is_deleted => provider.remove(*account, &found.id).await,
        Act::Forget => provider.forget(*account, &found.id).await,
        Act::Suppress | Act::Remove => Ok(()),
    }
}

/// Records what an account showed before the person was unsubscribed or taken out there.
pub async fn record_withdrawal(
    store: &dyn Store,
    withdrawal: &Withdrawal,
    found: Option<&Found>,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let Withdrawal {
        subscriber: looked_up,
        account,
        act,
    } = withdrawal;
    let known = store.load_by_id(&[looked_up.id]).await?;
    let Some(subscriber) = known.get(&looked_up.id) else {
        return Ok(());
    };
    if subscriber.email != looked_up.email {
        // Of the address that was looked up the departure takes care.
        return Ok(());
    }
    let is_unchanged = is_at(subscriber, looked_up.version)
        && (*act == Act::Suppress
            || !found.is_some_and(|it| departure::is_news(*account, looked_up, it)));
    let mut writes = WriteSet::new(now);
    let change = withdrawal::record(subscriber, *account, found, is_unchanged, now);
    let after = change.record(&mut writes);
    follow(store, vec![after], &mut writes, now).await?;
    store.commit(writes).await
}

const fn is_at(subscriber: &Subscriber, version: Version) -> bool {
    subscriber.version == version
}
