use std::{
    fmt,
    ops::{Index, IndexMut},
    sync::Arc,
};

use fields::vocabulary::vocabulary;
use kernel::Version;
use time::{Date, OffsetDateTime};

use super::{
    Account, Email, MemberStatus, MembershipStatus, MigrationSource, PlanCategory, SubscriberId,
    SubscriberStatus, provider::ProviderId,
};

/// A subscriber's state in one account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The account's id of the subscriber, once shown. If the account later lacks the id, the
    /// subscriber was removed.
    pub id: Option<ProviderId>,
    /// Whether the account is known to send nothing, or to have lost a departing address.
    pub is_quiet: bool,
    /// Whether this service, not the subscriber, ended the subscription there.
    pub is_withdrawn: bool,
}

/// A subscriber's state in both accounts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// In the old account.
    pub old: Place,
    /// In the new account.
    pub new: Place,
}

impl Index<Account> for Places {
    type Output = Place;

    fn index(&self, account: Account) -> &Place {
        match account {
            Account::Old => &self.old,
            Account::New => &self.new,
        }
    }
}

impl IndexMut<Account> for Places {
    fn index_mut(&mut self, account: Account) -> &mut Place {
        match account {
            Account::Old => &mut self.old,
            Account::New => &mut self.new,
        }
    }
}

impl Places {
    pub(super) const fn set_quiet(&mut self, is_quiet: bool) {
        self.old.is_quiet = is_quiet;
        self.new.is_quiet = is_quiet;
    }
}

vocabulary! {
    /// The origin of a suppression.
    #[non_exhaustive]
    SuppressionSource {
        Webhook = "webhook",
        Answer = "answer",
        Move = "move",
        Import = "import",
        Reconciliation = "reconciliation",
        Operator = "operator",
        Link = "link",
        Erasure = "erasure",
    }
}

/// The record of a suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// Where the suppression was seen.
    pub source: SuppressionSource,
    /// The account that showed it, if known.
    pub account: Option<Account>,
    /// When it was recorded.
    pub at: OffsetDateTime,
    /// The operator's words, or a description of the delivery.
    pub reason: Option<String>,
}

impl Suppression {
    /// A suppression without a reason, as an account shows it.
    pub const fn shown(
        source: SuppressionSource,
        account: Option<Account>,
        at: OffsetDateTime,
    ) -> Self {
        Self {
            source,
            account,
            at,
            reason: None,
        }
    }
}

/// Why an address is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The person has a new address, on the record with this id.
    Moved(SubscriberId),
    /// The person is erased.
    Erased,
}

vocabulary! {
    /// The kinds of departure, by their stored names.
    DepartureKind {
        Moved = "moved",
        Erased = "erased",
    }
}

impl Departure {
    /// The kind, without its data.
    pub const fn kind(self) -> DepartureKind {
        match self {
            Self::Moved(_) => DepartureKind::Moved,
            Self::Erased => DepartureKind::Erased,
        }
    }

    /// The record of the new address, if there is one.
    pub const fn successor(self) -> Option<SubscriberId> {
        match self {
            Self::Moved(successor) => Some(successor),
            Self::Erased => None,
        }
    }
}

/// The suppression of an erased subscriber, kept without the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The status at erasure.
    pub status: SubscriberStatus,
    /// The time of erasure.
    pub at: OffsetDateTime,
}

/// A subscriber's membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Whether the membership is a person's or a team's.
    pub plan_category: PlanCategory,
    /// Whether the membership is paid for.
    pub status: MembershipStatus,
    /// The last paid day.
    pub expires_at: Option<Date>,
}

/// A secret of 256 bits that lets the holder of an e-mailed link confirm the move.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MigrationToken(Arc<str>);

impl MigrationToken {
    /// Encodes 256 random bits, drawn by the caller.
    pub fn new(bits: [u8; 32]) -> Self {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

        Self(URL_SAFE_NO_PAD.encode(bits).into())
    }

    /// Wraps a stored or sent token, unchecked.
    pub fn from_text(text: &str) -> Self {
        Self(text.into())
    }

    /// Whether the text has the form of a token. Otherwise no subscriber holds it.
    pub fn is_well_formed(&self) -> bool {
        let is_of_base64url = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        self.0.len() == 43 && self.0.bytes().all(is_of_base64url)
    }

    /// The secret text.
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
    /// When the move was decided.
    pub at: OffsetDateTime,
    /// The cause of the move.
    pub source: MigrationSource,
    /// Whether both accounts show the move as complete.
    pub arrived: bool,
    /// Whether the old account showed the person during the move.
    pub was_found: bool,
    /// Whether the person joined the new account's group. Joining starts the chain of e-mails, so
    /// it happens only once.
    pub has_joined: bool,
}

/// An e-mail address and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscriber {
    /// Never changes, even when the address does.
    pub id: SubscriberId,
    /// Incremented by each commit.
    pub version: Version,
    /// Unique among the rows.
    pub email: Email,
    /// The first report; `None` for an address known only from the provider, which the API hides.
    pub reported_at: Option<OffsetDateTime>,
    /// The date of the latest dated report. An older report changes nothing.
    pub as_of: Option<OffsetDateTime>,
    /// The person's name.
    pub name: Option<String>,
    /// The country's name.
    pub country: Option<String>,
    /// The membership, if there is one.
    pub membership: Option<Membership>,
    /// Whether mail may be sent.
    pub status: SubscriberStatus,
    /// Where the suppression comes from, if that was recorded.
    pub suppression: Option<Suppression>,
    /// When an operator reinstated the subscriber. Earlier observations do not count.
    pub reinstated_at: Option<OffsetDateTime>,
    /// Why the address is being removed from the accounts, if it is.
    pub departure: Option<Departure>,
    /// The state in each account.
    pub places: Places,
    /// The move to the new account; `None` for subscribers of the old account.
    pub migrated: Option<Migrated>,
    /// The token of the link to move.
    pub token: MigrationToken,
    /// SHA-256 of the [`ProviderState`] known to be in the subscriber's account.
    pub synced_digest: Option<[u8; 32]>,
    /// When an account last received a new state, or was found to hold that state.
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

    /// The account that the subscriber belongs to.
    pub const fn account(&self) -> Account {
        match self.migrated {
            Some(_) => Account::New,
            None => Account::Old,
        }
    }

    /// Whether the move to the new account has not ended.
    pub fn is_under_way(&self) -> bool {
        self.migrated.is_some_and(|migrated| !migrated.arrived)
    }

    /// The value of the provider's field `member_status`.
    pub fn member_status(&self) -> MemberStatus {
        match self.membership.map(|membership| membership.status) {
            None => MemberStatus::NonMember,
            Some(MembershipStatus::Canceled) => MemberStatus::Canceled,
            Some(MembershipStatus::Active | MembershipStatus::Expired) => {
                MemberStatus::ActiveOrExpired
            }
        }
    }

    /// The value of the provider's field `membership_plan_category`.
    pub fn membership_plan_category(&self) -> &'static str {
        self.membership
            .map_or(MemberStatus::NonMember.as_str(), |membership| {
                membership.plan_category.as_str()
            })
    }
}
