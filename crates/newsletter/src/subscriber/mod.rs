//! Newsletter subscribers: reports of the membership system, events of the e-mail provider, and the
//! provider's two accounts.
//!
//! [`report()`] applies a report and [`notice()`] an event. [`sync`] decides what the provider is
//! sent, [`migration`] the move between its accounts. Only an operator can lift a suppression
//! ([`operator::reinstate`]).

mod change;
pub mod departure;
mod email;
mod event;
pub mod limits;
mod link;
pub mod migration;
pub mod operator;
mod payload;
pub mod provider;
mod put;
mod readdress;
pub mod reconciliation;
mod report;
mod suppression;
pub mod sync;
pub mod withdrawal;

#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use kernel::{Version, vocabulary::vocabulary};
use time::{Date, OffsetDateTime};

pub use self::{
    change::Change,
    departure::{Departure, DepartureKind, Remembered},
    email::{Email, InvalidEmail},
    event::{Notice, ProviderEvent, SignedWith, notice},
    link::unsubscribe,
    put::PutSubscriber,
    readdress::{Readdressed, readdress},
    report::{Report, report},
    suppression::{Place, Places, Suppression, SuppressionSource},
    sync::ProviderState,
};

kernel::id::id! {
    /// A subscriber's id.
    SubscriberId
}

vocabulary! {
    /// Whether mail may be sent. Ordered by strength: the greater of two observations stands, in
    /// whatever order they come.
    SubscriberStatus {
        /// Mail may be sent.
        Active = "active",
        /// Removed at the provider.
        Removed = "removed",
        /// Mail cannot be delivered for good.
        Bounced = "bounced",
        Unsubscribed = "unsubscribed",
        /// Reported mail as spam.
        SpamReported = "spam_reported",
    }
}

impl SubscriberStatus {
    /// Whether no mail may be sent.
    pub const fn is_suppressed(self) -> bool {
        !matches!(self, Self::Active)
    }
}

vocabulary! {
    /// The owner of a membership.
    PlanCategory {
        Individual = "individual",
        Team = "team",
    }
}

vocabulary! {
    /// The state of a membership.
    MembershipStatus {
        /// Paid for.
        Active = "active",
        /// Lapsed.
        Expired = "expired",
        /// Ended by the member.
        Canceled = "canceled",
    }
}

vocabulary! {
    /// The provider's two accounts. Every subscriber starts in the old one.
    Account {
        /// The account to move from.
        Old = "old",
        /// The account to move to.
        New = "new",
    }
}

vocabulary! {
    /// The origin of a move.
    MigrationSource {
        /// The launch, for all subscribers.
        Launch = "launch",
        /// The subscriber, by the link in an e-mail.
        EmailConfirmation = "email_confirmation",
        /// An operator.
        Manual = "manual",
    }
}

vocabulary! {
    /// The specification's `member_status`, derived from the membership. A lapse and a renewal look
    /// the same on purpose: they happen daily and are no news to the provider.
    MemberStatus {
        NonMember = "non-member",
        /// A membership that the member ended.
        Canceled = "canceled",
        /// A paid or lapsed membership.
        ActiveOrExpired = "active-or-expired",
    }
}

/// A subscriber's membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Its owner.
    pub plan_category: PlanCategory,
    /// Its state.
    pub status: MembershipStatus,
    /// The last day that is paid for.
    pub expires_at: Option<Date>,
}

/// A secret that lets the holder of an e-mailed link confirm the move: 256 random bits, as
/// base64url without padding. Debug output hides it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MigrationToken(Arc<str>);

impl MigrationToken {
    /// Encodes 256 random bits, drawn by the caller.
    pub fn new(bits: [u8; 32]) -> Self {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

        Self(URL_SAFE_NO_PAD.encode(bits).into())
    }

    /// Wraps a token that was stored or sent, unchecked.
    pub fn from_text(text: &str) -> Self {
        Self(text.into())
    }

    /// Whether the text has a token's form, without which no subscriber holds it.
    pub fn is_well_formed(&self) -> bool {
        let is_of_base64url = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        self.0.len() == 43 && self.0.bytes().all(is_of_base64url)
    }

    /// The token's text.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for MigrationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MigrationToken(…)")
    }
}

/// A subscriber's move to the new account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// When it was decided.
    pub at: OffsetDateTime,
    /// Its origin.
    pub source: MigrationSource,
    /// Whether both accounts show it.
    pub arrived: bool,
    /// Whether the old account showed the person during the move.
    pub was_found: bool,
    /// Whether the subscriber has joined the new account's group, under this address or an earlier
    /// one. Joining starts the provider's chain of e-mails, so it happens once.
    pub has_joined: bool,
}

/// An e-mail address and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscriber {
    /// Its id.
    pub id: SubscriberId,
    /// The number of commits.
    pub version: Version,
    /// The address.
    pub email: Email,
    /// When the membership system first reported the subscriber; `None` for an address known only
    /// from the provider, which the API hides.
    pub reported_at: Option<OffsetDateTime>,
    /// The time of the latest dated report; an older report changes nothing.
    pub as_of: Option<OffsetDateTime>,
    /// The person's name.
    pub name: Option<String>,
    /// The country's name.
    pub country: Option<String>,
    /// The membership, if there is one.
    pub membership: Option<Membership>,
    /// Whether mail may be sent.
    pub status: SubscriberStatus,
    /// The origin of the suppression, if it was recorded.
    pub suppression: Option<Suppression>,
    /// When an operator last reinstated the subscriber; earlier observations of the provider do not
    /// count.
    pub reinstated_at: Option<OffsetDateTime>,
    /// The reason why the address is being removed from the accounts, if it is.
    pub departure: Option<Departure>,
    /// The state in each account.
    pub places: Places,
    /// The move to the new account; `None` for subscribers of the old one.
    pub migrated: Option<Migrated>,
    /// The token of the link to move.
    pub token: MigrationToken,
    /// SHA-256 of the [`ProviderState`] that the subscriber's account is known to hold; `None`
    /// while that is unknown.
    pub synced_digest: Option<[u8; 32]>,
    /// When an account last received, or was shown to hold, a new state.
    pub told_at: Option<OffsetDateTime>,
    /// When it was last written.
    pub updated_at: OffsetDateTime,
}

impl Subscriber {
    /// A row for an address that was not reported.
    pub fn unreported(
        email: Email,
        id: SubscriberId,
        token: MigrationToken,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            id,
            version: 1,
            email,
            reported_at: None,
            as_of: None,
            name: None,
            country: None,
            membership: None,
            status: SubscriberStatus::Active,
            suppression: None,
            reinstated_at: None,
            departure: None,
            places: Places::default(),
            migrated: None,
            token,
            synced_digest: None,
            told_at: None,
            updated_at: now,
        }
    }

    /// The subscriber's account.
    pub const fn account(&self) -> Account {
        match self.migrated {
            Some(_) => Account::New,
            None => Account::Old,
        }
    }

    /// The specification's `member_status`.
    pub fn member_status(&self) -> MemberStatus {
        match self.membership.map(|membership| membership.status) {
            None => MemberStatus::NonMember,
            Some(MembershipStatus::Canceled) => MemberStatus::Canceled,
            Some(MembershipStatus::Active | MembershipStatus::Expired) => {
                MemberStatus::ActiveOrExpired
            }
        }
    }

    /// The specification's `membership_plan_category`.
    pub fn membership_plan_category(&self) -> &'static str {
        self.membership
            .map_or(MemberStatus::NonMember.as_str(), |membership| {
                membership.plan_category.as_str()
            })
    }
}
