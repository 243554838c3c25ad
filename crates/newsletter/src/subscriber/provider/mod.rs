//! The port to the e-mail marketing provider and its two accounts.

mod inspection;
mod list;

use std::{fmt, time::Duration};

use async_trait::async_trait;
use domain::{day, vocabulary::vocabulary};
use time::{Date, OffsetDateTime};

pub use self::{
    inspection::{FieldKind, Inspection, Webhook},
    list::{Cursor, Listed, Page},
};
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

vocabulary! {
    /// How a person stands in an account, by the provider's own words. A word that is not
    /// among these is an error: it might stand for a person who wants no mail.
    ProviderStatus {
        /// Gets mail.
        Active = "active",
        /// Wants no more.
        Unsubscribed = "unsubscribed",
        /// Was asked to confirm the subscription, and has not.
        Unconfirmed = "unconfirmed",
        /// Mail cannot be delivered for good.
        Bounced = "bounced",
        /// Has called it spam.
        Junk = "junk",
    }
}

impl ProviderStatus {
    /// The suppression that it is; `None` for the two that are none.
    pub const fn suppression(self) -> Option<SubscriberStatus> {
        match self {
            Self::Active | Self::Unconfirmed => None,
            Self::Unsubscribed => Some(SubscriberStatus::Unsubscribed),
            Self::Bounced => Some(SubscriberStatus::Bounced),
            Self::Junk => Some(SubscriberStatus::SpamReported),
        }
    }
}

/// The fields of a person as an account shows them; what is empty there is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// `name`.
    pub name: Option<String>,
    /// `country`.
    pub country: Option<String>,
    /// `membership_plan_category`.
    pub membership_plan_category: Option<String>,
    /// `member_status`.
    pub member_status: Option<String>,
    /// `membership_expire_at`, by its first ten characters: a day is also shown with midnight.
    pub membership_expire_at: Option<String>,
}

impl From<&Profile> for Fields {
    fn from(profile: &Profile) -> Self {
        Self {
            name: profile.name.clone(),
            country: profile.country.clone(),
            membership_plan_category: Some(profile.membership_plan_category.to_owned()),
            member_status: Some(profile.member_status.as_str().to_owned()),
            membership_expire_at: profile.membership_expire_at.map(day::write),
        }
    }
}

/// A person as an account shows them. The adapter has compared the address in the answer with
/// the one that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The account's id of the person.
    pub id: ProviderId,
    /// How the person stands there.
    pub status: ProviderStatus,
    /// When the person unsubscribed there, where the account says so.
    pub unsubscribed_at: Option<OffsetDateTime>,
    /// Whether the account has deleted or is about to forget the person, and only still shows
    /// them (`deleted_at` or `forget_at` is set).
    pub is_deleted: bool,
    /// Whether the person is in the group whose automation sends the chain of e-mails; `None`
    /// where the answer or the settings do not say.
    pub is_in_group: Option<bool>,
    /// The fields.
    pub fields: Fields,
}

/// What an account made of an upsert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upserted {
    /// It took the fields; the person stands there as it says.
    Taken(Found),
    /// It takes nothing for this person, who is suppressed there, by the words that are known
    /// to say that. A 422 of other words is [`ProviderError::Permanent`].
    Suppressed,
}

/// Why the provider did not do as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// It may succeed later: 408, 5xx, or no answer.
    #[error("{message}")]
    Retry {
        /// What happened, for the operator; never with a secret.
        message: String,
        /// How long the provider asked to be left alone, if it did.
        after: Option<Duration>,
    },
    /// The account has had too many requests (429): it is to be left alone by all.
    #[error("{message}")]
    Limited {
        /// What happened, for the operator; never with a secret.
        message: String,
        /// How long the provider asked to be left alone, if it did.
        after: Option<Duration>,
    },
    /// The account refuses us (401, and 403 with the API's own JSON): nothing will succeed until
    /// somebody sees to the key.
    #[error("{0}")]
    Locked(String),
    /// This request will never succeed, or its answer is not understood: any other 4xx, an
    /// unknown status, another person's address. The task stops for an operator.
    #[error("{0}")]
    Permanent(String),
}

/// The port that the provider's client implements. Calls are made when the account's limit
/// allows it. Answers are read strictly: the address in each is compared with the one that was
/// asked for, and whatever is not understood is [`ProviderError::Permanent`]. "Nobody" is said
/// only by a 404 in the API's own words.
#[async_trait]
pub trait Provider: Send + Sync {
    /// The accounts that have a key.
    fn accounts(&self) -> Vec<Account>;

    /// Creates or updates a person by e-mail address. `join` also adds the person to the group
    /// whose automation sends the chain of e-mails, where the account has one. No status is
    /// sent.
    async fn upsert(
        &self,
        account: Account,
        profile: &Profile,
        join: bool,
    ) -> Result<Upserted, ProviderError>;

    /// Updates the fields of a person by the account's id, and never creates anybody. `None`
    /// when there is nobody with this id. No status is sent.
    async fn update(
        &self,
        account: Account,
        id: &ProviderId,
        profile: &Profile,
    ) -> Result<Option<Upserted>, ProviderError>;

    /// Looks a person up by e-mail address.
    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError>;

    /// Unsubscribes a person, and takes them out of the group where the account has one: two
    /// requests. Done already for a person who is not there.
    async fn suppress(
        &self,
        account: Account,
        email: &Email,
        id: &ProviderId,
    ) -> Result<(), ProviderError>;

    /// Removes a person; whoever is not there is removed already.
    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError>;

    /// Has the account forget a person for good; whoever is not there is forgotten already.
    async fn forget(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError>;

    /// One page of the account's whole list, from its beginning or from a cursor.
    async fn page(&self, account: Account, cursor: Option<&Cursor>) -> Result<Page, ProviderError>;

    /// What an account is set up like, for a check before anything is sent.
    async fn inspect(&self, account: Account) -> Result<Inspection, ProviderError>;
}
