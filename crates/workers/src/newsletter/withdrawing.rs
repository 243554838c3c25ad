//! Withdraws suppressed subscribers from the accounts, and removes departing addresses.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{
    StoreError,
    outbox::{Claimed, Queue},
};
use newsletter::{
    subscriber::{
        Account, SubscriberId,
        provider::{Provider as _, ProviderError},
    },
    tasks,
    usecase::{self, NextLook, Waiting, Withdrawal},
};

use runtime::decide_again;

use super::{
    super::tasks::Tasks,
    job::{CONFLICTS, JobError, ProviderJobs},
    leased::LeasedProvider,
};

/// The wait if one account is done and the other cannot be called.
const LOCKED: time::Duration = time::Duration::seconds(10);

/// The wait for the sync of a subscriber's new address.
const SUCCESSOR: time::Duration = time::Duration::seconds(10);

/// The wait for the key of an account.
const KEY: time::Duration = time::Duration::hours(1);

/// Withdrawals in the accounts that have a key. Whether an account without one is quiet stays
/// unknown, and a departing address waits for it.
pub(super) struct Withdrawals {
    pub accounts: Vec<Account>,
    pub provider: Arc<LeasedProvider>,
    pub tasks: Tasks,
}

#[async_trait]
impl ProviderJobs for Withdrawals {
    fn queue(&self) -> Queue {
        tasks::WITHDRAW
    }

    fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    async fn ready(&self) {
        self.provider.ready_for_any(&self.accounts).await;
    }

    fn waits_alone(&self) -> Option<time::Duration> {
        Some(LOCKED)
    }

    /// Checks each account. One that fails or cannot be called does not hold up the other.
    async fn carry_out(&self, task: &Claimed) -> Result<(), JobError> {
        let subscriber = SubscriberId::new(task.effect.key());
        let _alone = self.provider.people.alone(subscriber).await;
        let (store, provider) = (self.tasks.parts.newsletter.as_ref(), self.provider.as_ref());
        let mut accounts = provider.accounts();
        let mut failure = None;
        loop {
            let next = usecase::next_withdrawal(store, subscriber, &accounts).await?;
            let look = match next {
                NextLook::Look(look) => look,
                NextLook::Wait(waiting) if failure.is_none() => {
                    return Err(JobError::Waits(match waiting {
                        Waiting::ForSuccessor => SUCCESSOR,
                        Waiting::ForKey => KEY,
                    }));
                }
                NextLook::Wait(_) | NextLook::Done => break,
            };
            let email = look.subscriber.email.clone();
            let _alone = provider.addresses.alone(email).await;
            // While it waited for the lock, the address may have passed to another record.
            let still = usecase::next_withdrawal(store, subscriber, &accounts).await?;
            if still != NextLook::Look(look.clone()) {
                continue;
            }
            if let Err(error) = self.see_to(&look).await? {
                accounts.retain(|account| *account != look.account);
                failure.get_or_insert(error);
            }
        }
        if let Some(error) = failure {
            return Err(error.into());
        }
        let token = task.token;
        let attempt = || usecase::finish_withdrawal(store, subscriber, token, self.tasks.now());
        decide_again(CONFLICTS, attempt).await?;
        Ok(())
    }
}

impl Withdrawals {
    /// Checks one account, unsubscribes or removes the subscriber there if needed, and records the
    /// result.
    async fn see_to(
        &self,
        withdrawal: &Withdrawal,
    ) -> Result<Result<(), ProviderError>, StoreError> {
        let (store, provider) = (self.tasks.parts.newsletter.as_ref(), self.provider.as_ref());
        let found = match usecase::look(provider, withdrawal).await {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        let found = found.as_ref();
        let note = || usecase::begin_withdrawal(store, withdrawal, found, self.tasks.now());
        let begun = decide_again(CONFLICTS, note).await?;
        if let Err(error) = usecase::withdraw(provider, &begun, found).await {
            return Ok(Err(error));
        }
        let record = || usecase::record_withdrawal(store, &begun, found, self.tasks.now());
        decide_again(CONFLICTS, record).await?;
        Ok(Ok(()))
    }
}
