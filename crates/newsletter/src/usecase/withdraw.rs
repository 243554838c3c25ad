use kernel::{Version, outbox::ClaimToken};
use time::OffsetDateTime;

use super::{
    people::{follow, present},
    task::{TaskError, TaskPorts, Waiting},
};
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, Subscriber, SubscriberId, departure,
        provider::{Found, Provider, ProviderError},
        withdrawal::{self, WithdrawalAction},
    },
};

/// Carries out a claimed withdrawal. A failing account does not delay the other account.
pub async fn carry_out_withdrawal(
    ports: &impl TaskPorts,
    token: ClaimToken,
    id: SubscriberId,
) -> Result<(), TaskError> {
    let store = ports.store();
    let mut accounts = ports.provider().accounts();
    let mut failure = None;
    loop {
        let look = match next_withdrawal(store, id, &accounts).await? {
            NextLook::Look(look) => look,
            NextLook::Wait(waiting) if failure.is_none() => return Err(TaskError::Waits(waiting)),
            NextLook::Wait(_) | NextLook::Done => break,
        };
        let _alone = ports.alone(&look.subscriber.email).await;
        // While this call waited, the address may have passed to another record.
        let still = next_withdrawal(store, id, &accounts).await?;
        if still != NextLook::Look(look.clone()) {
            continue;
        }
        match see_to(ports, &look).await {
            Err(TaskError::Provider(error)) => {
                accounts.retain(|account| *account != look.account);
                failure.get_or_insert(error);
            }
            seen_to => seen_to?,
        }
    }
    if let Some(error) = failure {
        return Err(error.into());
    }
    Ok(ports
        .again(|| Box::pin(finish_withdrawal(store, id, token, ports.now())))
        .await?)
}

async fn see_to(ports: &impl TaskPorts, withdrawal: &Withdrawal) -> Result<(), TaskError> {
    let (store, provider) = (ports.store(), ports.provider());
    let email = &withdrawal.subscriber.email;
    let found = provider.find(withdrawal.account, email).await?;
    let found = found.as_ref();
    let begun = ports
        .again(|| Box::pin(begin_withdrawal(store, withdrawal, found, ports.now())))
        .await?;
    withdraw(provider, &begun, found).await?;
    Ok(ports
        .again(|| Box::pin(record_withdrawal(store, &begun, found, ports.now())))
        .await?)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Withdrawal {
    pub subscriber: Subscriber,
    pub account: Account,
    pub action: WithdrawalAction,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NextLook {
    Look(Box<Withdrawal>),
    Wait(Waiting),
    Done,
}

pub(super) async fn next_withdrawal(
    store: &dyn Store,
    id: SubscriberId,
    accounts: &[Account],
) -> Result<NextLook, StoreError> {
    let mut known = store.load_by_id(&[id]).await?;
    let Some(subscriber) = known.remove(&id) else {
        return Ok(NextLook::Done);
    };
    let unconfirmed: Vec<_> = subscriber.unconfirmed_suppressions().collect();
    if unconfirmed.is_empty() {
        return Ok(NextLook::Done);
    }
    let account = unconfirmed.into_iter().find(|it| accounts.contains(it));
    let action = if subscriber.departure.is_none() {
        WithdrawalAction::Suppress
    } else {
        let successor = present(store, &subscriber).await?;
        match departure::action(&subscriber, successor.as_ref()) {
            Some(action) => action,
            None => return Ok(NextLook::Wait(Waiting::ForSuccessor)),
        }
    };
    Ok(match account {
        Some(account) => NextLook::Look(Box::new(Withdrawal {
            subscriber,
            account,
            action,
        })),
        None if subscriber.departure.is_some() => NextLook::Wait(Waiting::ForKey),
        None => NextLook::Done,
    })
}

/// Finishes the task once no account is left, and deletes the row of a departed address.
pub(super) async fn finish_withdrawal(
    store: &dyn Store,
    id: SubscriberId,
    token: ClaimToken,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(now);
    writes.tasks.done.push(token);
    let known = store.load_by_id(&[id]).await?;
    if let Some(subscriber) = known.get(&id).filter(|it| it.departure.is_some()) {
        let has_successor = present(store, subscriber).await?.is_some();
        if let Some(end) = departure::end(subscriber, has_successor, now) {
            end.record(id, &mut writes);
        }
    }
    store.commit(writes).await
}

pub(super) async fn begin_withdrawal(
    store: &dyn Store,
    withdrawal: &Withdrawal,
    found: Option<&Found>,
    now: OffsetDateTime,
) -> Result<Withdrawal, StoreError> {
    let Withdrawal {
        subscriber: looked,
        account,
        action,
    } = withdrawal;
    if *action != WithdrawalAction::Suppress || !withdrawal::is_needed(looked, found) {
        return Ok(withdrawal.clone());
    }
    let known = store.load_by_id(&[looked.id]).await?;
    // After a change of address, the departure handles the address that was looked up.
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
        // With an outdated version, the account does not become quiet, and is checked again.
        subscriber.version = looked.version;
    }
    Ok(Withdrawal {
        subscriber,
        account: *account,
        action: *action,
    })
}

pub(super) async fn withdraw(
    provider: &dyn Provider,
    withdrawal: &Withdrawal,
    found: Option<&Found>,
) -> Result<(), ProviderError> {
    let Withdrawal {
        subscriber,
        account,
        action,
    } = withdrawal;
    let Some(found) = found else {
        return Ok(());
    };
    match action {
        WithdrawalAction::Suppress if withdrawal::is_needed(subscriber, Some(found)) => {
            let email = &subscriber.email;
            provider.suppress(*account, email, &found.id).await
        }
        // The stronger status is recorded first.
        WithdrawalAction::Remove | WithdrawalAction::Forget
            if departure::kept(*account, subscriber, Some(found)).is_some() =>
        {
            Ok(())
        }
        WithdrawalAction::Remove if !found.is_deleted => provider.remove(*account, &found.id).await,
        WithdrawalAction::Forget => provider.forget(*account, &found.id).await,
        WithdrawalAction::Suppress | WithdrawalAction::Remove => Ok(()),
    }
}

pub(super) async fn record_withdrawal(
    store: &dyn Store,
    withdrawal: &Withdrawal,
    found: Option<&Found>,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let Withdrawal {
        subscriber: looked_up,
        account,
        action,
    } = withdrawal;
    let known = store.load_by_id(&[looked_up.id]).await?;
    let Some(subscriber) = known.get(&looked_up.id) else {
        return Ok(());
    };
    if subscriber.email != looked_up.email {
        // The departure handles the address that was looked up.
        return Ok(());
    }
    let found = match action {
        WithdrawalAction::Suppress => found,
        _ => departure::kept(*account, looked_up, found),
    };
    let is_done = *action == WithdrawalAction::Suppress || found.is_none();
    let is_unchanged = is_done && is_at(subscriber, looked_up.version);
    let mut writes = WriteSet::new(now);
    let change = withdrawal::record(subscriber, *account, found, is_unchanged, now);
    let after = change.record(&mut writes);
    follow(store, vec![after], &mut writes, now).await?;
    store.commit(writes).await
}

const fn is_at(subscriber: &Subscriber, version: Version) -> bool {
    subscriber.version == version
}
