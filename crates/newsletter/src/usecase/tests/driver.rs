//! Carries tasks out step by step, as a worker does.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
    task::Poll,
};

use super::*;
use crate::{
    store::StoreError,
    subscriber::{Email, provider::Provider},
    tasks,
    usecase::{
        MoveStep, NextLook, Withdrawal, begin_withdrawal, finish_withdrawal, is_still_due, join,
        leave, look, next_withdrawal, record_joined, record_move, record_withdrawal, withdraw,
    },
};

/// The addresses of calls in progress.
#[derive(Debug, Default)]
pub(super) struct Addresses(Mutex<HashSet<Email>>);

impl Addresses {
    /// Waits for the lock of an address.
    async fn alone(&self, email: &Email) -> Alone<'_> {
        std::future::poll_fn(|_| {
            if self.held().insert(email.clone()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        Alone(self, email.clone())
    }

    /// Whether a call about an address is in progress.
    pub fn is_held(&self, email: &Email) -> bool {
        self.held().contains(email)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashSet<Email>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Alone<'a>(&'a Addresses, Email);

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        self.0.held().remove(&self.1);
    }
}

/// The ports and the time, with a pause before each step for other tasks.
pub(super) struct Steps<'a> {
    pub store: &'a MemoryStore,
    pub provider: &'a dyn Provider,
    pub addresses: &'a Addresses,
    pub now: &'a (dyn Fn() -> OffsetDateTime + Sync),
}

impl Steps<'_> {
    pub async fn run(&self, token: ClaimToken, effect: Effect) -> Result<(), ProviderError> {
        let id = SubscriberId::new(effect.key());
        match effect.queue() {
            tasks::MIGRATE => self.move_over(token, id).await,
            tasks::WITHDRAW => self.withdraw(token, id).await,
            queue => {
                let syncs = |it: Account| [tasks::syncs(it), tasks::bulk_syncs(it)];
                let account = Account::ALL.iter().find(|it| syncs(**it).contains(&queue));
                self.sync(token, id, *account.unwrap()).await
            }
        }
    }

    async fn sync(
        &self,
        token: ClaimToken,
        id: SubscriberId,
        account: Account,
    ) -> Result<(), ProviderError> {
        let begin = || begin_sync(self.store, token, id, account, (self.now)());
        while let Some(job) = begin().await.unwrap() {
            let email = &job.state.profile.email;
            let _alone = self.addresses.alone(email).await;
            if !is_still_due(self.store, &job).await.unwrap() {
                continue;
            }
            let told = super::super::sync(self.provider, &job).await?;
            let recorded = record_sync(self.store, &job, &told, (self.now)()).await;
            Self::finished(&recorded);
            break;
        }
        Ok(())
    }

    async fn move_over(&self, token: ClaimToken, id: SubscriberId) -> Result<(), ProviderError> {
        let (store, provider) = (self.store, self.provider);
        let job = begin_move(store, token, id, (self.now)()).await.unwrap();
        let Some(job) = job else {
            return Ok(());
        };
        let email = &job.state.profile.email;
        let _alone = self.addresses.alone(email).await;
        let found = look_up(provider, &job).await?;
        let recorded = record_found(store, &job, found.as_ref(), false, (self.now)()).await;
        let Some(joining) = Self::go_on(recorded)? else {
            return Ok(());
        };
        let observed = join(provider, &joining).await?;
        let recorded = record_joined(store, &joining, &observed, (self.now)()).await;
        let Some(job) = Self::go_on(recorded)? else {
            return Ok(());
        };
        let was_there = found.is_some();
        let found = look_up(provider, &job).await?;
        let found = found.as_ref();
        let recorded = record_found(store, &job, found, was_there, (self.now)()).await;
        if Self::go_on(recorded)?.is_none() {
            return Ok(());
        }
        leave(provider, found).await?;
        let recorded = record_move(store, &joining, (self.now)()).await;
        Self::finished(&recorded);
        Ok(())
    }

    fn go_on(recorded: Result<MoveStep, StoreError>) -> Result<Option<ProviderJob>, ProviderError> {
        match recorded {
            Ok(MoveStep::GoOn(job)) => Ok(Some(job)),
            Ok(MoveStep::Stuck(error)) => Err(error),
            Ok(MoveStep::Done) | Err(StoreError::Conflict) => Ok(None),
            Err(error) => panic!("{error}"),
        }
    }

    /// With a lost lease nothing is recorded: another worker has the task.
    fn finished(recorded: &Result<(), StoreError>) {
        assert!(
            matches!(recorded, Ok(()) | Err(StoreError::Conflict)),
            "{recorded:?}"
        );
    }

    async fn withdraw(&self, token: ClaimToken, id: SubscriberId) -> Result<(), ProviderError> {
        let mut accounts = self.provider.accounts();
        let mut failure = Ok(());
        loop {
            let next = next_withdrawal(self.store, id, &accounts).await.unwrap();
            let look = match next {
                NextLook::Look(look) => look,
                NextLook::Wait(_) if failure.is_ok() => {
                    let (task, later) = ([token], (self.now)() + hours(1));
                    self.store.give_back(&task, later).await.unwrap();
                    return Ok(());
                }
                NextLook::Wait(_) | NextLook::Done => break,
            };
            let _alone = self.addresses.alone(&look.subscriber.email).await;
            let still = next_withdrawal(self.store, id, &accounts).await.unwrap();
            if still != NextLook::Look(look.clone()) {
                continue;
            }
            if let Err(error) = self.look(&look).await {
                accounts.retain(|account| *account != look.account);
                failure = Err(error);
            }
        }
        if failure.is_ok() {
            let finished = finish_withdrawal(self.store, id, token, (self.now)()).await;
            Self::finished(&finished);
        }
        failure
    }

    async fn look(&self, next: &Withdrawal) -> Result<(), ProviderError> {
        let found = look(self.provider, next).await?;
        let found = found.as_ref();
        let begun = loop {
            match begin_withdrawal(self.store, next, found, (self.now)()).await {
                Err(StoreError::Conflict) => {}
                begun => break begun.unwrap(),
            }
        };
        withdraw(self.provider, &begun, found).await?;
        let recorded = record_withdrawal(self.store, &begun, found, (self.now)()).await;
        recorded.unwrap();
        Ok(())
    }
}
