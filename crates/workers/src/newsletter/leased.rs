use std::{collections::BTreeSet, sync::Arc};

use kernel::StoreError;
use newsletter::{
    store::AccountState,
    subscriber::{
        Account, Email, SubscriberId,
        provider::{Call, Provider, ProviderError, Relay},
    },
};
use runtime::{lease::Held, panics};
use time::OffsetDateTime;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use super::{
    super::tasks::Tasks,
    breaker::{BreakerEffect, Breakers},
    people::People,
};

/// The provider during a lease. Calls overlap, and the provider's client keeps the rate limit.
/// Forbidden calls return [`ProviderError::Locked`] and are not sent.
pub(super) struct LeasedProvider {
    pub breakers: Arc<Breakers>,
    pub lease: Arc<Held>,
    pub tasks: Tasks,
    /// A lock per subscriber, held from reading to recording. It prevents a sync from sending
    /// outdated data after a move has removed the subscriber.
    pub people: People<SubscriberId>,
    /// A lock per address during its calls, taken inside the subscriber's lock. An address may pass
    /// to another record, and calls for its former record must end first.
    pub addresses: People<Email>,
    /// The accounts whose list was read (see [`listing`](super::listing)).
    pub listed: watch::Sender<BTreeSet<Account>>,
}

impl LeasedProvider {
    /// Waits until all of these accounts may be called. With a lapsed lease, waits for its loss.
    pub async fn ready(&self, accounts: &[Account]) {
        self.wait(|| {
            accounts
                .iter()
                .filter_map(|one| self.open_until(*one))
                .max()
        })
        .await;
    }

    /// Waits like `ready`, but for any of these accounts.
    pub async fn ready_for_any(&self, accounts: &[Account]) {
        let first = || {
            let ends: Option<Vec<_>> = accounts.iter().map(|one| self.open_until(*one)).collect();
            ends?.into_iter().min()
        };
        self.wait(first).await;
    }

    fn open_until(&self, account: Account) -> Option<Instant> {
        self.breakers.of(account).open_until()
    }

    async fn wait(&self, until: impl Fn() -> Option<Instant>) {
        if !self.lease.holds() {
            return self.lease.lost().cancelled().await;
        }
        while let Some(until) = until() {
            sleep_until(until).await;
        }
    }

    pub fn listed(&self, account: Account) {
        self.listed
            .send_if_modified(|listed| listed.insert(account));
    }

    pub fn is_listed(&self, account: Account) -> bool {
        self.listed.borrow().contains(&account)
    }

    /// Waits until the account's list was read. Afterwards only differences are written.
    pub async fn until_listed(&self, account: Account) {
        let mut listed = self.listed.subscribe();
        // No error occurs, because the sender lives as long as this provider.
        _ = listed.wait_for(|listed| listed.contains(&account)).await;
    }

    pub fn admit(&self, account: Account) -> Result<outbound::Call, ProviderError> {
        let locked = |reason: &str| ProviderError::Locked(reason.to_owned());
        if !self.lease.holds() {
            return Err(locked("another worker may call the account"));
        }
        let call = self.breakers.of(account).begin();
        call.ok_or_else(|| locked("the account is paused"))
    }

    /// Stores the account's state. If this fails, this process still has the state in memory.
    pub async fn keep(
        &self,
        account: Account,
        change: impl FnOnce(&mut AccountState, OffsetDateTime) + Send,
    ) {
        let kept = panics::caught(async {
            let (mut state, now) = account_state(&self.tasks, account).await?;
            change(&mut state, now);
            let accounts = &self.tasks.parts.stores.accounts;
            accounts.keep_account_state(account, &state).await
        });
        if let Err(error) = kept.await {
            tracing::warn!(%account, %error, "the account's state was not stored");
        }
    }
}

pub(super) async fn account_state(
    tasks: &Tasks,
    account: Account,
) -> Result<(AccountState, OffsetDateTime), StoreError> {
    let state = panics::caught(async {
        let now = tasks.now();
        Ok((
            tasks.parts.stores.accounts.account_state(account).await?,
            now,
        ))
    });
    state.await
}

impl Relay for LeasedProvider {
    fn behind(&self) -> &dyn Provider {
        self.tasks.parts.provider.as_ref()
    }

    async fn pass_on<T: Send>(
        &self,
        call: Call<'_>,
        answer: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let called = async {
            let admitted = self.admit(call.account)?;
            let failure = |message| ProviderError::Retry {
                message,
                after: None,
            };
            let result = panics::caught_as(failure, answer).await;
            let breaker = self.breakers.of(call.account);
            let noted = breaker.note(call.account, call.whom, admitted, &result);
            let pause = match noted {
                BreakerEffect::Nothing | BreakerEffect::OneSubscriber => None,
                BreakerEffect::Closed => Some(None),
                BreakerEffect::Opened(pause) => Some(Some(pause)),
            };
            if let Some(pause) = pause {
                let reason = result.as_ref().err().map(ToString::to_string);
                self.keep(call.account, |state, now| {
                    state.paused_until = pause.map(|pause| now + pause);
                    state.pause_reason = reason;
                })
                .await;
            }
            match result {
                Err(ProviderError::Locked(message)) if noted == BreakerEffect::OneSubscriber => {
                    Err(ProviderError::Permanent(format!(
                        "{message} (again and again, while calls about others succeeded)"
                    )))
                }
                result => result,
            }
        };
        tokio::select! {
            biased;
            () = self.lease.lost().cancelled() => Err(ProviderError::Locked("the lease was lost".to_owned())),
            result = called => result,
        }
    }
}
