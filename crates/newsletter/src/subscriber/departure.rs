//! Departures: addresses that no account is to hold any more, because the person has another one
//! now or is to be forgotten.
//!
//! The row of such an address is not that of a reported person any more, so for everybody outside
//! it does not exist. It stays until an answer of each account has shown that the address is gone
//! there, by the same task that sees to suppressed people. What is learnt of the address meanwhile
//! counts for the person's new one.

use domain::{Version, vocabulary::vocabulary};
use time::OffsetDateTime;

use super::{
    Account, Change, Email, MigrationToken, Places, Subscriber, SubscriberId, SubscriberStatus,
    Suppression, SuppressionSource, provider::Found, withdrawal::Act,
};
use crate::store::{Purge, WriteSet};

/// Why an address is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The person has another address now; this is the record of it.
    Moved(SubscriberId),
    /// The person is to be forgotten.
    Erased,
}

vocabulary! {
    /// The kinds of departure, by their names in the stores.
    DepartureKind {
        /// [`Departure::Moved`].
        Moved = "moved",
        /// [`Departure::Erased`].
        Erased = "erased",
    }
}

impl Departure {
    /// Its kind.
    pub const fn kind(self) -> DepartureKind {
        match self {
            Self::Moved(_) => DepartureKind::Moved,
            Self::Erased => DepartureKind::Erased,
        }
    }

    /// The record of the new address, where there is one.
    pub const fn successor(self) -> Option<SubscriberId> {
        match self {
            Self::Moved(successor) => Some(successor),
            Self::Erased => None,
        }
    }
}

/// What is remembered of a suppressed person who was erased. The address itself is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// How the person stood.
    pub status: SubscriberStatus,
    /// Since when that is remembered.
    pub at: OffsetDateTime,
}

impl Remembered {
    fn suppression(self) -> Suppression {
        Suppression::shown(SuppressionSource::Erasure, None, self.at)
    }
}

impl Subscriber {
    /// Whether the person is being erased: until the accounts have forgotten the address, no list
    /// and no record of what was done shows it.
    pub fn is_being_erased(&self) -> bool {
        self.departure == Some(Departure::Erased)
    }

    /// Whether the accounts show what is known of the person, or nobody sends them anything. From
    /// then on an address that they have left may be taken out.
    pub(super) fn is_settled(&self) -> bool {
        let has_arrived = self.migrated.is_none_or(|migrated| migrated.arrived);
        let is_told = has_arrived && self.synced_digest == Some(self.provider_state().digest());
        self.reported_at.is_some() && (self.status.is_suppressed() || is_told)
    }

    /// The same row with nothing but the address and how it stands there: it is to go.
    pub(super) fn departing(&self, departure: Departure) -> Self {
        Self {
            departure: Some(departure),
            reported_at: None,
            as_of: None,
            name: None,
            country: None,
            membership: None,
            migrated: None,
            places: Places::default(),
            token: dead_token(self.id),
            synced_digest: None,
            ..self.clone()
        }
    }

    /// Takes over how the person stood elsewhere; what is older than their reinstating does not
    /// count.
    pub(super) fn inherit(
        &mut self,
        status: SubscriberStatus,
        from: Option<&Suppression>,
        now: OffsetDateTime,
    ) {
        let is_older = |since: OffsetDateTime| from.is_none_or(|from| from.at <= since);
        if self.reinstated_at.is_some_and(is_older) {
            return;
        }
        let unknown = || Suppression::shown(SuppressionSource::Answer, None, now);
        self.strengthen(status, from.cloned().unwrap_or_else(unknown));
    }
}

/// A token that nobody can hold, because it is not well-formed.
pub(super) fn dead_token(id: SubscriberId) -> MigrationToken {
    MigrationToken::from_text(&format!("departed {id}"))
}

/// Erases a person: nothing but the address is kept, until both accounts have forgotten it.
/// `None` for a person who is being erased already.
pub fn erase(subscriber: &Subscriber, now: OffsetDateTime) -> Option<Change> {
    if subscriber.is_being_erased() {
        return None;
    }
    let mut after = subscriber.departing(Departure::Erased);
    if let Some(suppression) = &mut after.suppression {
        suppression.reason = None;
    }
    Some(Change::new(Some(subscriber), after, now))
}

impl Change {
    /// Takes into account what is remembered of an address that has no row: the person begins as
    /// they ended.
    pub(crate) fn recall(&mut self, remembered: Remembered, now: OffsetDateTime) {
        let from = remembered.suppression();
        self.subscriber.inherit(remembered.status, Some(&from), now);
    }
}

/// A row for an address of which nothing but this is remembered: the person stands there as they
/// ended.
pub fn recalled(
    email: &Email,
    remembered: Remembered,
    (new_id, new_token): (SubscriberId, MigrationToken),
    now: OffsetDateTime,
) -> Change {
    let blank = Subscriber::unreported(email.clone(), new_id, new_token, now);
    let mut change = Change::new(None, blank, now);
    change.recall(remembered, now);
    change
}

/// Passes on to the person's record what was learnt of an address that they have left. `None`
/// when that is no news.
pub fn follow(
    successor: &Subscriber,
    departed: &Subscriber,
    now: OffsetDateTime,
) -> Option<Change> {
    let mut after = successor.clone();
    after.inherit(departed.status, departed.suppression.as_ref(), now);
    if after == *successor {
        return None;
    }
    let mut change = Change::new(Some(successor), after, now);
    if change.subscriber.needs_sync() {
        change.ask_for_sync();
    }
    Some(change)
}

/// What an account is to do about an address that departs, given the present record of the person;
/// without one the address is forgotten. `None` while the accounts do not show the present record:
/// nobody is to be in neither.
pub fn act(departed: &Subscriber, successor: Option<&Subscriber>) -> Option<Act> {
    match (departed.departure, successor) {
        (Some(Departure::Moved(_)), Some(successor)) => {
            successor.is_settled().then_some(Act::Remove)
        }
        _ => Some(Act::Forget),
    }
}

/// Whether an account shows what has to be recorded before the address is taken out there,
/// because nothing would show it afterwards.
pub fn is_news(account: Account, departed: &Subscriber, found: &Found) -> bool {
    let is_stronger = |seen| seen > departed.status;
    !found.is_deleted && departed.counted(account, found).is_some_and(is_stronger)
}

/// What becomes of a row whose address is in no account any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It goes.
    Purged(Purge),
    /// The address said no, and that is kept.
    Kept(Box<Change>),
}

/// Ends a departure. `None` when there is none, or an account is yet to be seen to. Without a
/// successor the person is forgotten: what is kept of somebody suppressed is a hash.
pub fn end(departed: &Subscriber, has_successor: bool, now: OffsetDateTime) -> Option<End> {
    departed.departure?;
    if departed.unquiet().next().is_some() {
        return None;
    }
    let is_suppressed = departed.status.is_suppressed();
    if has_successor && is_suppressed {
        let after = Subscriber {
            departure: None,
            ..departed.clone()
        };
        let mut change = Change::new(Some(departed), after, now);
        change.is_of_withdrawal = true;
        return Some(End::Kept(Box::new(change)));
    }
    Some(End::Purged(Purge {
        remember: is_suppressed.then_some(departed.status),
        ..purge(departed, departed.version)
    }))
}

/// Takes a row away, and remembers nothing.
pub(super) fn purge(subscriber: &Subscriber, expected: Version) -> Purge {
    Purge {
        expected,
        email: subscriber.email.clone(),
        remember: None,
    }
}

impl End {
    /// Adds it to a commit.
    pub fn record(self, id: SubscriberId, writes: &mut WriteSet) {
        match self {
            Self::Purged(purge) => {
                writes.purges.insert(id, purge);
            }
            Self::Kept(change) => {
                change.record(writes);
            }
        }
    }
}
