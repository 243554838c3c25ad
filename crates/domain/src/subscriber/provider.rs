//! The port to the e-mail marketing provider and its two accounts.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use time::Date;

use super::{Account, Email, MemberStatus, SubscriberStatus};

/// What the provider is told of a person: the specification's six fields. Whether the person
/// may be written to is not among them, because that is the provider's to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// `email`.
    pub email: Email,
    /// `name`.
    pub name: Option<String>,
    /// `country`.
    pub country: Option<String>,
    /// `membership_plan_category`.
    pub membership_plan_category: &'static str,
    /// `member_status`.
    pub member_status: MemberStatus,
    /// `membership_expire_at`.
    pub membership_expire_at: Option<Date>,
}

/// The provider's own id of a person in one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderId(pub String);

impl fmt::Display for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A person as an account knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The account's id of the person.
    pub id: ProviderId,
    /// What the account says of them. What it says and we have no word for is `Active`.
    pub status: SubscriberStatus,
}

/// What an account made of an upsert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upserted {
    /// It took the fields; the person stands there as it says.
    Taken(Found),
    /// It takes nothing for this person, who is suppressed there. That is no failure.
    Suppressed,
}

/// Why the provider did not do as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// It may succeed later: 408, 429, 5xx, or no answer.
    #[error("{message}")]
    Retry {
        /// What happened, for the operator; never with a secret.
        message: String,
        /// How long the provider asked to be left alone, if it did.
        after: Option<Duration>,
    },
    /// The account refuses us (401, 403): nothing will succeed until somebody sees to the key.
    #[error("{0}")]
    Locked(String),
    /// This request will never succeed: any other 4xx.
    #[error("{0}")]
    Permanent(String),
}

/// The port that the provider's client implements. Each call is one request, made when the
/// account's limit allows it.
#[async_trait]
pub trait Provider: Send + Sync {
    /// The accounts that have a key.
    fn accounts(&self) -> Vec<Account>;

    /// Creates or updates a person by e-mail address. `join` also adds the person to the group
    /// whose automation sends the chain of e-mails, where the account has one.
    async fn upsert(
        &self,
        account: Account,
        profile: &Profile,
        join: bool,
    ) -> Result<Upserted, ProviderError>;

    /// Looks a person up by e-mail address.
    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError>;

    /// Removes a person; whoever is not there is removed already.
    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError>;
}
