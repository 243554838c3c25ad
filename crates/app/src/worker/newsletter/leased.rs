//! The provider as the holder of the lease may call it.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use domain::store::StoreError;
use newsletter::{
    store::{AccountState, Accounts},
    subscriber::{
        Account, Email, SubscriberId,
        provider::{
            Cursor, Found, Inspection, Page, Profile, Provider, ProviderError, ProviderId, Upserted,
        },
    },
};
use outbound::Call;
use tokio::{sync::watch, time::sleep_until};

use super::{
    super::tasks::Tasks,
    breaker::{Breakers, Noted},
    lease::Lease,
    people::People,
};
use crate::panics;

/// In the place of a person where a call is about all of them.
const LIST: &str = "the list";

/// The provider for as long as the lease holds. Calls overlap; the provider's client keeps to the
/// limit. A call that may not be made now is refused as [`ProviderError::Locked`], without having
/// been made.
pub(super) struct LeasedProvider {
    pub provider: Arc<dyn Provider>,
    pub breakers: Arc<Breakers>,
    pub lease: Arc<Lease>,
    /// Where pauses are kept for the next holder of the lease.
    pub accounts: Arc<dyn Accounts>,
    pub tasks: Tasks,
    /// Held from reading to recording by each piece of work for a person: what a sync has read
    /// must not be told to an account after a move has taken the person out of it.
    pub people: People<SubscriberId>,
    /// Held during the calls about an address, within the lock of the person: an address may pass
    /// from one person's record to another's, and what was begun for one must not end after what
    /// the other has begun.
    pub addresses: People<Email>,
    /// The accounts whose list has been read, see [`listing`](super::listing).
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

    /// From now on the account may be written to.
    pub fn listed(&self, account: Account) {
        self.listed
            .send_if_modified(|listed| listed.insert(account));
    }

    /// Whether the account may be written to.
    pub fn is_listed(&self, account: Account) -> bool {
        self.listed.borrow().contains(&account)
    }

    /// Waits until the account's list has been read, because what it holds already is not to be
    /// written.
    pub async fn until_listed(&self, account: Account) {
        let mut listed = self.listed.subscribe();
        // The sender is this line's.
        _ = listed.wait_for(|listed| listed.contains(&account)).await;
    }

    /// Refuses unless an account may be called now.
    pub fn admit(&self, account: Account) -> Result<Call, ProviderError> {
        let locked = |reason: &str| ProviderError::Locked(reason.to_owned());
        if !self.lease.holds() {
            return Err(locked("another worker may speak to the account"));
        }
        let call = self.breakers.of(account).begin();
        call.ok_or_else(|| locked("the account is left alone"))
    }

    /// Makes a call about a person, or refuses to.
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
                Err(ProviderError::Locked(message)) if noted == Noted::TheirOwn => {
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

    /// Keeps a pause, or its end, with the lease. Best effort: this process knows it anyway.
    async fn keep(&self, account: Account, noted: Noted, error: Option<&ProviderError>) {
        let paused_until = match noted {
            Noted::Nothing | Noted::TheirOwn => return,
            Noted::Again => None,
            Noted::Pause(pause) => Some(self.tasks.now() + pause),
        };
        let kept = panics::caught(async {
            let state = AccountState {
                paused_until,
                pause_reason: error.map(ToString::to_string),
                ..self.accounts.account_state(account).await?
            };
            self.accounts.keep_account_state(account, &state).await?;
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
        self.provider.accounts()
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
            self.provider.upsert(account, profile, join),
        )
        .await
    }

    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError> {
        self.call(account, email.as_str(), self.provider.find(account, email))
            .await
    }

    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        self.call(account, &id.0, self.provider.remove(account, id))
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
            self.provider.update(account, id, profile),
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
            self.provider.suppress(account, email, id),
        )
        .await
    }

    async fn forget(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        self.call(account, &id.0, self.provider.forget(account, id))
            .await
    }

    async fn page(&self, account: Account, cursor: Option<&Cursor>) -> Result<Page, ProviderError> {
        self.call(account, LIST, self.provider.page(account, cursor))
            .await
    }

    async fn inspect(&self, account: Account) -> Result<Inspection, ProviderError> {
        self.call(account, LIST, self.provider.inspect(account))
            .await
    }
}
