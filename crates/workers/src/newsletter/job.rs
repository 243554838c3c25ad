//! The newsletter's tasks: syncs, moves and withdrawals. Several loops share a queue.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use kernel::{
    StoreError,
    outbox::{Claimed, Queue},
};
use newsletter::{
    store::Store,
    subscriber::{
        Account, Email, SubscriberId,
        provider::{Provider, ProviderError},
    },
    tasks,
    usecase::{
        Step, TaskError, TaskPorts, Waiting, carry_out_move, carry_out_sync, carry_out_withdrawal,
    },
};
use runtime::decide_again;
use time::{Duration as Wait, OffsetDateTime};
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

use super::{
    super::{poll::Handler, tasks::Failure},
    leased::LeasedProvider,
};

/// How long a step is retried after conflicts. Longer conflicts mean that the lease is lost.
const CONFLICTS: Duration = Duration::from_secs(2);

/// How long a withdrawal waits if one of its accounts cannot be called.
const LOCKED: Wait = Wait::seconds(10);

/// How long a task waits for the sync of a subscriber's new address.
const SUCCESSOR: Wait = Wait::seconds(10);

const KEY: Wait = Wait::hours(1);

/// Handles one task at a time. A task whose account may not be called is released, without a
/// failure.
pub(super) struct Jobs {
    pub kind: JobKind,
    pub provider: Arc<LeasedProvider>,
}

#[derive(Clone, Debug)]
pub(super) enum JobKind {
    /// Syncs of one account. Bulk syncs run only when there are no others.
    Sync(Account),
    Move,
    /// Withdrawals from these accounts, which have a key. A withdrawal from an account without a
    /// key stays unconfirmed. Until it is confirmed, the row of an address that is being removed
    /// stays.
    Withdraw(Vec<Account>),
}

impl Jobs {
    async fn carry_out(&self, task: &Claimed) -> Result<(), TaskError> {
        let (ports, token) = (&*self.provider, task.token);
        let subscriber = SubscriberId::new(task.effect.key());
        let _alone = ports.people.alone(subscriber).await;
        // Check the accounts before the coming call is recorded.
        match &self.kind {
            JobKind::Sync(account) => {
                ports.admit(*account)?;
                carry_out_sync(ports, token, subscriber, *account).await
            }
            JobKind::Move => {
                for account in Account::ALL {
                    ports.admit(*account)?;
                }
                carry_out_move(ports, token, subscriber).await
            }
            JobKind::Withdraw(_) => carry_out_withdrawal(ports, token, subscriber).await,
        }
    }
}

#[async_trait]
impl TaskPorts for LeasedProvider {
    type Guard = OwnedMutexGuard<()>;

    fn store(&self) -> &dyn Store {
        self.tasks.parts.stores.newsletter.as_ref()
    }

    fn provider(&self) -> &dyn Provider {
        self
    }

    fn now(&self) -> OffsetDateTime {
        self.tasks.now()
    }

    async fn alone(&self, email: &Email) -> Self::Guard {
        self.addresses.alone(email.clone()).await
    }

    fn again<'a, T: Send + 'a>(
        &'a self,
        attempt: impl FnMut() -> Step<'a, T> + Send + 'a,
    ) -> Step<'a, T> {
        Box::pin(decide_again(CONFLICTS, attempt))
    }
}

#[async_trait]
impl Handler for Jobs {
    type Permit = ();

    fn queue(&self) -> Queue {
        match self.kind {
            JobKind::Sync(account) => tasks::syncs(account),
            JobKind::Move => tasks::MIGRATE,
            JobKind::Withdraw(_) => tasks::WITHDRAW,
        }
    }

    fn most(&self) -> usize {
        1
    }

    fn is_shared_queue(&self) -> bool {
        true
    }

    async fn ready(&self) {
        let provider = &self.provider;
        match &self.kind {
            JobKind::Sync(account) => {
                provider.until_listed(*account).await;
                provider.ready(&[*account]).await;
            }
            JobKind::Move => {
                for account in Account::ALL {
                    provider.until_listed(*account).await;
                }
                provider.ready(Account::ALL).await;
            }
            JobKind::Withdraw(accounts) => provider.ready_for_any(accounts).await,
        }
    }

    async fn dead_letter(&self, task: &Claimed) -> Result<(), StoreError> {
        let tasks = &self.provider.tasks;
        tasks.dead_letter(task, &Failure::poison()).await;
        Ok(())
    }

    async fn handle(
        &self,
        claimed: &[Claimed],
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let tasks = &self.provider.tasks;
        for task in claimed {
            let back_after = if stop.is_cancelled() {
                Wait::ZERO
            } else {
                match self.carry_out(task).await {
                    Ok(()) => continue,
                    Err(TaskError::Waits(Waiting::ForSuccessor)) => SUCCESSOR,
                    Err(TaskError::Waits(Waiting::ForKey)) => KEY,
                    Err(TaskError::Provider(
                        ProviderError::Locked(_) | ProviderError::Limited { .. },
                    )) => match self.kind {
                        JobKind::Withdraw(_) => LOCKED,
                        // All tasks of the queue call the same account.
                        JobKind::Sync(_) | JobKind::Move => Wait::ZERO,
                    },
                    Err(TaskError::Provider(error)) => {
                        tasks.failed(task, error).await;
                        continue;
                    }
                    Err(TaskError::Store(error)) => {
                        if !tasks.failed(task, error.clone()).await {
                            return Err(error);
                        }
                        continue;
                    }
                }
            };
            tasks.give_back(&[task.token], back_after).await;
        }
        Ok(())
    }
}
