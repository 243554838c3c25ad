//! Providers that pass calls on to another one.

use async_trait::async_trait;

use super::{
    Cursor, Found, Inspection, Page, Profile, Provider, ProviderError, ProviderId, Upserted,
};
use crate::subscriber::{Account, Email};

/// Stands for the address in calls about a whole account.
const ALL: &str = "the list";

/// A call that is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The account.
    pub account: Account,
    /// The name of the port's function.
    pub name: &'static str,
    /// The address or the id that it is about.
    pub whom: &'a str,
}

/// A provider that passes calls on to another one, which it may hold up, refuse or judge. It
/// implements [`Provider`].
pub trait Relay: Send + Sync {
    /// The other provider.
    fn behind(&self) -> &dyn Provider;

    /// The accounts that have a key.
    fn with_key(&self) -> Vec<Account> {
        self.behind().accounts()
    }

    /// Makes a call; `answer` is the other provider's.
    fn pass_on<T: Send>(
        &self,
        call: Call<'_>,
        answer: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> impl Future<Output = Result<T, ProviderError>> + Send;
}

const fn call<'a>(account: Account, name: &'static str, whom: &'a str) -> Call<'a> {
    Call {
        account,
        name,
        whom,
    }
}

#[async_trait]
impl<R: Relay> Provider for R {
    fn accounts(&self) -> Vec<Account> {
        self.with_key()
    }

    async fn upsert(
        &self,
        account: Account,
        profile: &Profile,
        join: bool,
    ) -> Result<Upserted, ProviderError> {
        let answer = self.behind().upsert(account, profile, join);
        self.pass_on(call(account, "upsert", profile.email.as_str()), answer)
            .await
    }

    async fn update(
        &self,
        account: Account,
        id: &ProviderId,
        profile: &Profile,
    ) -> Result<Option<Upserted>, ProviderError> {
        let answer = self.behind().update(account, id, profile);
        self.pass_on(call(account, "update", profile.email.as_str()), answer)
            .await
    }

    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError> {
        let answer = self.behind().find(account, email);
        self.pass_on(call(account, "find", email.as_str()), answer)
            .await
    }

    async fn suppress(
        &self,
        account: Account,
        email: &Email,
        id: &ProviderId,
    ) -> Result<(), ProviderError> {
        let answer = self.behind().suppress(account, email, id);
        self.pass_on(call(account, "suppress", email.as_str()), answer)
            .await
    }

    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        let answer = self.behind().remove(account, id);
        self.pass_on(call(account, "remove", &id.0), answer).await
    }

    async fn forget(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError> {
        let answer = self.behind().forget(account, id);
        self.pass_on(call(account, "forget", &id.0), answer).await
    }

    async fn page(&self, account: Account, cursor: Option<&Cursor>) -> Result<Page, ProviderError> {
        let answer = self.behind().page(account, cursor);
        self.pass_on(call(account, "page", ALL), answer).await
    }

    async fn inspect(&self, account: Account) -> Result<Inspection, ProviderError> {
        let answer = self.behind().inspect(account);
        self.pass_on(call(account, "inspect", ALL), answer).await
    }
}
