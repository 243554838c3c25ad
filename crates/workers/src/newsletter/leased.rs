//! The provider, limited to the time of the lease.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use kernel::StoreError;
use newsletter::{
    store::AccountState,
    subscriber::{
        Account, Email, SubscriberId,
        provider::{
            Cursor, Found, Inspection, Page, Profile, Provider, ProviderError, ProviderId, Upserted,
        },
    },
};
use outbound::Call;
use runtime::panics;
use tokio::{sync::watch, time::sleep_until};

use super::{
    super::tasks::Tasks,
    breaker::{BreakerEffect, Breakers},
    lease::Lease,
    people::People,
};

/// Stands for the address in calls about a whole list.
const LIST: &str = "the list";

/// The provider during a lease. Calls overlap; the provider's client keeps the rate limit. While a
/// call is not allowed, it is refused as [`ProviderError::Locked`] without being sent.
pub(super) struct LeasedProvider {
    pub breakers: Arc<Breakers>,
    pub lease: Arc<Lease>,
    pub tasks: Tasks,
    /// One lock per subscriber, held from reading to recording: a sync must not send outdated data
    /// after a move has removed the subscriber from the account.
    pub people: People<SubscriberId>,
    /// One lock per address, held during its calls, inside the subscriber's lock: an address may
    /// pass from one record to another, and calls for the former must not end after calls for the
    /// latter.
    pub addresses: People<Email>,
    /// The accounts whose list was read, see [`listing`](super::listing).
    pub listed: watch::Sender<BTreeSet<Account>>,
}

impl LeasedProvider {
    /// Waits until all of these accounts may be called, or the lease is lost.
    pub async fn ready(&self, accounts: &[Account]) {
        if !self.lease.holds() {
            return self.lease.lost().await;
        }
        let open = |account: &Account| self.breakers.of(*account).open_until();
        while let Some(until) = accounts.iter().filter_map(open).max() {
            sleep_until(until).await;
        }
    }

    /// Waits until one of these accounts may be called, or the lease is lost.
    pub async fn ready_for_any(&self, accounts: &[Account]) {
        if !self.lease.holds() {
            return self.lease.lost().await;
        }
        let open = |account: &Account| self.breakers.of(*account).open_until();
        let first = || {
            let ends: Option<Vec<_>> = accounts.iter().map(open).collect();
            ends.and_then(|ends| ends.into_iter().min())
        };
        while let Some(until) = first() {
            sleep_until(until).await;
        }
    }

    /// Allows writes to the account.
    pub fn listed(&self, account: Account) {
        self.listed
            .send_if_modified(|listed| listed.insert(account));
    }

    /// Whether writes to the account are allowed.
    pub fn is_listed(&self, account: Account) -> bool {
        self.listed.borrow().contains(&account)
    }

    /// Waits until the account's list was read, so that only differences are written.
    pub async fn until_listed(&self, account: Account) {
        let mut listed = self.listed.subscribe();
        // The sender lives as long as this provider.
        _ = listed.wait_for(|listed| listed.contains(&account)).await;
    }

    /// Begins a call if the account may be called now.
    pub fn admit(&self, account: Account) -> Result<Call, ProviderError> {
        let locked = |reason: &str| ProviderError::Locked(reason.to_owned());
        if !self.lease.holds() {
            return Err(locked("another worker may speak to the account"));
        }
        let call = self.breakers.of(account).begin();
        call.ok_or_else(|| locked("the account is paused"))
    }

    /// Makes a call about a subscriber, if allowed.
    async fn call<T>(
        &self,
        account: Account,
        whom: &str,
        call: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let called = async {
            let admitted = self.admit(account)?;
            let failure = |message| ProviderError::Retry {
                message,
                after: None,
            };
            let result = panics::caught_as(failure, call).await;
            let noted = self
                .breakers
                .of(account)
                .note(account, whom, admitted, &result);
            self.keep(account, noted, result.as_ref().err()).await;
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
            () = self.lease.lost() => Err(ProviderError::Locked("the lease was lost".to_owned())),
            result = called => result,
        }
    }

    /// Stores the start or end of a pause. Best effort: this process knows it anyway.
    async fn keep(&self, account: Account, noted: BreakerEffect, error: Option<&ProviderError>) {
        let pause = match noted {
            BreakerEffect::Nothing | BreakerEffect::OneSubscriber => return,
            BreakerEffect::Closed => None,
            BreakerEffect::Opened(pause) => Some(pause),
        };
        let accounts = &self.tasks.parts.accounts;
        let kept = panics::caught(async {
            let now = self.tasks.store_now().await?;
            let state = AccountState {
                paused_until: pause.map(|pause| now + pause),
                pause_reason: error.map(ToString::to_string),
                ..accounts.account_state(account).await?
            };
            accounts.keep_account_state(account, &state).await?;
            Ok::<_, StoreError>(())
        });
        if let Err(error) = kept.await {
            tracing::warn!(%account, %error, "a pause is known to this process alone");
        }
    }
}

#[async_trait]
impl Provider for LeasedProvider {
    fn accounts(&self) -> Vec<Account> {
        self.tasks.parts.provider.accounts()
    }

    async fn upsert(
        &self,
        account: Account,
        profile: &Profile,
        join: bool,
    ) -> Result<Upserted, ProviderError> {
        self.call(
            account,
            profile.email.as_str(),
            self.tasks.parts.provider.upsert(account, profile, join),
        )
        .await
    }

    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError> {
        self.call(
            account,
            email.as_str(),
            self.tasks.parts.provider.find(account, email),
        )
        .await
    }

    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        self.call(
            account,
            &id.0,
            self.tasks.parts.provider.remove(account, id),
        )
        .await
    }

    async fn update(
        &self,
        account: Account,
        id: &ProviderId,
        profile: &Profile,
    ) -> Result<Option<Upserted>, ProviderError> {
        self.call(
            account,
            profile.email.as_str(),
            self.tasks.parts.provider.update(account, id, profile),
        )
        .await
    }

    async fn suppress(
        &self,
        account: Account,
        email: &Email,
        id: &ProviderId,
    ) -> Result<(), ProviderError> {
        self.call(
            account,
            email.as_str(),
            self.tasks.parts.provider.suppress(account, email, id),
        )
        .await
    }

    async fn forget(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        self.call(
            account,
            &id.0,
            self.tasks.parts.provider.forget(account, id),
        )
        .await
    }

    async fn page(&self, account: Account, cursor: Option<&Cursor>) -> Result<Page, ProviderError> {
        self.call(
            account,
            LIST,
            self.tasks.parts.provider.page(account, cursor),
        )
        .await
    }

    async fn inspect(&self, account: Account) -> Result<Inspection, ProviderError> {
        self.call(account, LIST, self.tasks.parts.provider.inspect(account))
            .await
    }
}
