//! The port to the e-mail marketing provider and its two accounts.

mod inspection;
mod relay;

use std::{fmt, time::Duration};

use async_trait::async_trait;
use fields::vocabulary::vocabulary;
use serde::Serialize;
use time::OffsetDateTime;

pub use self::{
    inspection::{Inspection, Webhook},
    relay::{Call, Relay},
};
use super::{Account, Email, SubscriberStatus};

/// The fields of a subscriber in an account, as they are sent and shown. An empty field is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Fields {
    /// `name`.
    pub name: Option<String>,
    /// `country`.
    pub country: Option<String>,
    /// `membership_plan_category`.
    pub membership_plan_category: Option<String>,
    /// `member_status`.
    pub member_status: Option<String>,
    /// `membership_expire_at`, as `Y-m-d`.
    pub membership_expire_at: Option<String>,
}

/// The provider's six fields, as sent. The provider decides the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// `email`.
    pub email: Email,
    /// The other five fields.
    pub fields: Fields,
}

/// The id of a subscriber in one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderId(pub String);

impl fmt::Display for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

vocabulary! {
    /// The provider's status of a subscriber. An unknown status is an error: it might mean refusal.
    ProviderStatus {
        Active = "active",
        Unsubscribed = "unsubscribed",
        Unconfirmed = "unconfirmed",
        Bounced = "bounced",
        Junk = "junk",
    }
}

impl ProviderStatus {
    /// The suppression that the status implies, if any.
    pub const fn suppression(self) -> Option<SubscriberStatus> {
        match self {
            Self::Active | Self::Unconfirmed => None,
            Self::Unsubscribed => Some(SubscriberStatus::Unsubscribed),
            Self::Bounced => Some(SubscriberStatus::Bounced),
            Self::Junk => Some(SubscriberStatus::SpamReported),
        }
    }
}

/// An account's record of a subscriber. The adapter has checked that the record has the requested
/// address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The account's id of the subscriber.
    pub id: ProviderId,
    /// The status in the account.
    pub status: ProviderStatus,
    /// The time of unsubscription, if the account shows one.
    pub unsubscribed_at: Option<OffsetDateTime>,
    /// Whether `deleted_at` or `forget_at` is set.
    pub is_deleted: bool,
    /// The stored fields.
    pub fields: Fields,
}

/// An account's answer to an upsert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upserted {
    /// The account accepted the fields, and shows this record.
    Taken(Found),
    /// The 422 for a suppressed subscriber. Any other 422 is [`ProviderError::Permanent`].
    Suppressed,
}

/// The provider's opaque cursor to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// An entry of an account's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The address.
    pub email: Email,
    /// The account's record.
    pub found: Found,
}

/// A page of an account's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The subscribers on the page.
    pub people: Vec<Listed>,
    /// Unreadable entries, described for an operator. They have no effect.
    pub odd: Vec<String>,
    /// The cursor to the next page; `None` on the last one.
    pub next: Option<Cursor>,
}

/// The reason why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// Transient: 408, 5xx, or no answer.
    #[error("{message}")]
    Retry {
        /// A description for the operator, without secrets.
        message: String,
        /// The pause that the provider requested, if any.
        after: Option<Duration>,
    },
    /// Too many requests (429): all calls to the account must pause.
    #[error("{message}")]
    Limited {
        /// A description for the operator, without secrets.
        message: String,
        /// The pause that the provider requested, if any.
        after: Option<Duration>,
    },
    /// The account refuses the key (401, or 403 in the API's own JSON) until the key is replaced.
    #[error("{0}")]
    Locked(String),
    /// The request never succeeds, or its answer is not understood. The task waits for an operator.
    #[error("{0}")]
    Permanent(String),
}

/// The port to the provider. An implementation respects the accounts' limits. An unknown answer, or
/// one about another address, is [`ProviderError::Permanent`]. Only a 404 of the API itself means
/// that a subscriber is absent.
#[async_trait]
pub trait Provider: Send + Sync {
    /// The accounts that have a key.
    fn accounts(&self) -> Vec<Account>;

    /// Creates or updates a subscriber by address, without a status. `join` adds them to the
    /// account's group, whose automation sends the chain of e-mails.
    async fn upsert(
        &self,
        account: Account,
        profile: &Profile,
        join: bool,
    ) -> Result<Upserted, ProviderError>;

    /// Updates fields by the account's id, without a status. Never creates: `None` for an unknown
    /// id.
    async fn update(
        &self,
        account: Account,
        id: &ProviderId,
        profile: &Profile,
    ) -> Result<Option<Upserted>, ProviderError>;

    /// Looks a subscriber up by e-mail address.
    async fn find(&self, account: Account, email: &Email) -> Result<Option<Found>, ProviderError>;

    /// Unsubscribes a subscriber and removes them from the group: two requests. Succeeds if absent.
    async fn suppress(
        &self,
        account: Account,
        email: &Email,
        id: &ProviderId,
    ) -> Result<(), ProviderError>;

    /// Deletes a subscriber. Succeeds for an absent one.
    async fn remove(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError>;

    /// Makes the account forget a subscriber permanently. Succeeds for an absent one.
    async fn forget(&self, account: Account, id: &ProviderId) -> Result<(), ProviderError>;

    /// Returns a page of the account's list; without a cursor, the first page.
    async fn page(&self, account: Account, cursor: Option<&Cursor>) -> Result<Page, ProviderError>;

    /// Returns the account's configuration, for a check before anything is sent.
    async fn inspect(&self, account: Account) -> Result<Inspection, ProviderError>;
}
