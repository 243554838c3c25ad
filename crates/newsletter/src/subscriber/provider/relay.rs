use async_trait::async_trait;

use super::{
    Cursor, Found, Inspection, Page, Profile, Provider, ProviderError, ProviderId, Upserted,
};
use crate::subscriber::{Account, Email};

/// [`Call::whom`] of calls about a whole account.
const ALL: &str = "the list";

/// A call that is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The account that is called.
    pub account: Account,
    /// The name of the port's function.
    pub name: &'static str,
    /// The address or id that the call is about.
    pub whom: &'a str,
}

/// A provider that passes calls on to a decorated provider, and may delay, refuse or observe them.
pub trait Relay: Send + Sync {
    /// The decorated provider.
    fn behind(&self) -> &dyn Provider;

    /// The accounts that have a key.
    fn with_key(&self) -> Vec<Account> {
        self.behind().accounts()
    }

    /// Makes a call; `answer` is the future of the decorated provider.
    fn pass_on<T: Send>(
        &self,
        call: Call<'_>,
        answer: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> impl Future<Output = Result<T, ProviderError>> + Send;
}

macro_rules! pass_on {
    ($($name:ident($($argument:ident: $type:ty),*) about $whom:expr => $answer:ty;)+) => {
        #[async_trait]
        impl<R: Relay> Provider for R {
            fn accounts(&self) -> Vec<Account> {
                self.with_key()
            }

            $(async fn $name(
                &self,
                account: Account,
                $($argument: $type),*
            ) -> Result<$answer, ProviderError> {
                let answer = self.behind().$name(account, $($argument),*);
                let name = stringify!($name);
                let call = Call { account, name, whom: $whom };
                self.pass_on(call, answer).await
            })+
        }
    };
}

pass_on! {
    upsert(profile: &Profile, join: bool) about profile.email.as_str() => Upserted;
    update(id: &ProviderId, profile: &Profile) about profile.email.as_str() => Option<Upserted>;
    find(email: &Email) about email.as_str() => Option<Found>;
    suppress(email: &Email, id: &ProviderId) about email.as_str() => ();
    remove(id: &ProviderId) about &id.0 => ();
    forget(id: &ProviderId) about &id.0 => ();
    page(cursor: Option<&Cursor>) about ALL => Page;
    inspect() about ALL => Inspection;
}
