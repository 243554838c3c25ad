//! The line to the provider: calls wait for their turn, and end with the lease.

use std::sync::Arc;

use async_trait::async_trait;
use domain::subscriber::{
    Account, Email,
    provider::{
        Cursor, Found, Inspection, Page, Profile, Provider, ProviderError, ProviderId, Upserted,
    },
};

use tokio::time::sleep_until;

use super::{door::Doors, lease::Lease};
use crate::panics;

/// The provider for as long as the lease holds. A call that may not be made now is refused as
/// [`ProviderError::Locked`], without having been made.
pub(super) struct Line {
    pub provider: Arc<dyn Provider>,
    pub doors: Arc<Doors>,
    pub lease: Arc<Lease>,
    /// Held from reading to recording by whoever works in the old account: what a sync has read
    /// must not be told there after a move has taken the person out.
    pub old: tokio::sync::Mutex<()>,
}

impl Line {
    /// Waits until all of these accounts may be called, or the lease is lost.
    pub async fn ready(&self, accounts: &[Account]) {
        if !self.lease.holds() {
            return self.lease.lost().await;
        }
        let closed = |account: &Account| self.doors.of(*account).closed_until();
        while let Some(until) = accounts.iter().filter_map(closed).max() {
            sleep_until(until).await;
        }
    }

    /// Waits until one of these accounts may be called, or the lease is lost.
    pub async fn ready_for_any(&self, accounts: &[Account]) {
        if !self.lease.holds() {
            return self.lease.lost().await;
        }
        let closed = |account: &Account| self.doors.of(*account).closed_until();
        let ends: Option<Vec<_>> = accounts.iter().map(closed).collect();
        if let Some(until) = ends.and_then(|ends| ends.into_iter().min()) {
            sleep_until(until).await;
        }
    }

    /// Refuses unless an account may be called now.
    pub fn admit(&self, account: Account) -> Result<(), ProviderError> {
        let reason = if !self.lease.holds() {
            "another worker may speak to the account"
        } else if self.doors.of(account).closed_until().is_some() {
            "the account is left alone"
        } else {
            return Ok(());
        };
        Err(ProviderError::Locked(reason.to_owned()))
    }

    /// Makes a call, or refuses to.
    async fn call<T>(
        &self,
        account: Account,
        call: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let door = self.doors.of(account);
        let called = async {
            // What another call was answered counts for this one.
            let _turn = door.turn.lock().await;
            self.admit(account)?;
            let failure = |message| ProviderError::Retry {
                message,
                after: None,
            };
            let result = panics::caught_as(failure, call).await;
            door.note(account, &result);
            result
        };
        tokio::select! {
            biased;
            () = self.lease.lost() => Err(ProviderError::Locked("the lease was lost".to_owned())),
            result = called => result,
        }
    }
}

#[async_trait]
impl Provider for Line {
    fn accounts(&self) -> Vec<Account> {
        self.provider.accounts()
    }

    async fn upsert(
        &self,
        account: Account,
        profile: &Profile,
        join: bool,
    ) -> Result<Upserted, ProviderError> {
        self.call(account, self.provider.upsert(account, profile, join))
            .await
    }

    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError> {
        self.call(account, self.provider.find(account, email)).await
    }

    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        self.call(account, self.provider.remove(account, id)).await
    }

    async fn update(
        &self,
        account: Account,
        id: &ProviderId,
        profile: &Profile,
    ) -> Result<Option<Upserted>, ProviderError> {
        self.call(account, self.provider.update(account, id, profile))
            .await
    }

    async fn suppress(
        &self,
        account: Account,
        email: &Email,
        id: &ProviderId,
    ) -> Result<(), ProviderError> {
        self.call(account, self.provider.suppress(account, email, id))
            .await
    }

    async fn forget(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        self.call(account, self.provider.forget(account, id)).await
    }

    async fn page(&self, account: Account, cursor: Option<&Cursor>) -> Result<Page, ProviderError> {
        self.call(account, self.provider.page(account, cursor))
            .await
    }

    async fn inspect(&self, account: Account) -> Result<Inspection, ProviderError> {
        self.call(account, self.provider.inspect(account)).await
    }
}
