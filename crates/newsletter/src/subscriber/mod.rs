//! Newsletter subscribers: what the membership system reports, what the e-mail provider says,
//! and which of the provider's two accounts a person is in.
//!
//! [`report()`] applies what the membership system reports, [`notice()`] what the provider says.
//! [`sync`] is about what the provider is told, and [`migration`] about the move between its
//! accounts. Nothing here ever makes someone who is suppressed active again.

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

use domain::{Version, vocabulary::vocabulary};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

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

/// A subscriber's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubscriberId(Uuid);

impl SubscriberId {
    /// Takes a UUID for a subscriber's id.
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The UUID.
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for SubscriberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

vocabulary! {
    /// Whether a person may be written to. Ordered by strength: of two that were seen, in
    /// whatever order, the greater stands.
    SubscriberStatus {
        /// May be written to.
        Active = "active",
        /// Somebody has removed the person at the provider.
        Removed = "removed",
        /// Mail cannot be delivered for good.
        Bounced = "bounced",
        /// Wants no more.
        Unsubscribed = "unsubscribed",
        /// Has called it spam.
        SpamReported = "spam_reported",
    }
}

impl SubscriberStatus {
    /// Whether no mail may be sent. Nothing here ever makes such a person active again.
    pub const fn is_suppressed(self) -> bool {
        !matches!(self, Self::Active)
    }
}

vocabulary! {
    /// Whose membership it is.
    PlanCategory {
        /// A person's own.
        Individual = "individual",
        /// A team's.
        Team = "team",
    }
}

vocabulary! {
    /// Where a membership stands.
    MembershipStatus {
        /// Paid for.
        Active = "active",
        /// Lapsed.
        Expired = "expired",
        /// Ended on purpose.
        Canceled = "canceled",
    }
}

vocabulary! {
    /// The two accounts at the provider. Everybody starts in the old one.
    Account {
        /// The account to leave.
        Old = "old",
        /// The account to move to.
        New = "new",
    }
}

vocabulary! {
    /// Who moved a subscriber.
    MigrationSource {
        /// Everybody at once.
        Launch = "launch",
        /// The person, by the link in an e-mail.
        EmailConfirmation = "email_confirmation",
        /// An operator.
        Manual = "manual",
    }
}

vocabulary! {
    /// The specification's `member_status`, which is derived. A membership that lapses and one
    /// that is renewed look the same on purpose: that happens daily and is no news.
    MemberStatus {
        /// Has no membership.
        NonMember = "non-member",
        /// Had one, and ended it.
        Canceled = "canceled",
        /// Has or had one.
        ActiveOrExpired = "active-or-expired",
    }
}

/// What the membership system says of a person's membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Whose it is.
    pub plan_category: PlanCategory,
    /// Where it stands.
    pub status: MembershipStatus,
    /// Until when it is paid for.
    pub expires_at: Option<Date>,
}

/// What lets the holder of an e-mailed link move to the new account: 256 random bits, as
/// base64url without padding. It is a secret, and does not show itself in debug output.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MigrationToken(Arc<str>);

impl MigrationToken {
    /// Writes 256 random bits that the caller drew.
    pub fn new(bits: [u8; 32]) -> Self {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

        Self(URL_SAFE_NO_PAD.encode(bits).into())
    }

    /// Takes a token that was stored or sent.
    pub fn from_text(text: &str) -> Self {
        Self(text.into())
    }

    /// Whether it looks like a token at all; nobody holds one that does not.
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

/// That a subscriber was moved to the new account, when, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// When.
    pub at: OffsetDateTime,
    /// By whom.
    pub source: MigrationSource,
    /// Whether the provider's accounts show it already.
    pub arrived: bool,
    /// Whether the old account showed the person during the move.
    pub was_found: bool,
    /// Whether the person has joined the new account's group, under this address or one that they
    /// had before: it is joined once, because that begins the provider's chain of e-mails.
    pub has_joined: bool,
}

/// What is known of one e-mail address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscriber {
    /// Its id.
    pub id: SubscriberId,
    /// Counts its commits.
    pub version: Version,
    /// The address.
    pub email: Email,
    /// When the membership system reported the person first; `None` while all that is known is
    /// what the provider said about the address. For everybody outside such a person does not
    /// exist yet.
    pub reported_at: Option<OffsetDateTime>,
    /// The moment of which the last report that says one is: an older one changes nothing.
    pub as_of: Option<OffsetDateTime>,
    /// The person's name.
    pub name: Option<String>,
    /// The person's country, by its name.
    pub country: Option<String>,
    /// The membership, if there is one.
    pub membership: Option<Membership>,
    /// Whether the person may be written to.
    pub status: SubscriberStatus,
    /// Where the suppression came from, where there is one and that was noted.
    pub suppression: Option<Suppression>,
    /// When an operator reinstated the person last: what the provider says of before that does
    /// not count.
    pub reinstated_at: Option<OffsetDateTime>,
    /// Why the address is to go from the accounts, if it is. Then nobody is reported under it.
    pub departure: Option<Departure>,
    /// How the person stands in each account.
    pub places: Places,
    /// When and how the person moved to the new account; `None` in the old one.
    pub migrated: Option<Migrated>,
    /// What lets the person move.
    pub token: MigrationToken,
    /// SHA-256 of what the account that the person is in is known to hold, see [`ProviderState`];
    /// `None` while that is not known.
    pub synced_digest: Option<[u8; 32]>,
    /// When an account was last told, or shown to hold, what was news to it.
    pub told_at: Option<OffsetDateTime>,
    /// When it was written last.
    pub updated_at: OffsetDateTime,
}

impl Subscriber {
    /// An address that nobody has reported yet.
    fn unreported(
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

    /// The account that the person is in.
    pub const fn account(&self) -> Account {
        match self.migrated {
            Some(_) => Account::New,
            None => Account::Old,
        }
    }

    /// The derived status of the membership.
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
