//! Departures: addresses to remove from both accounts after a change of address or an erasure.
//!
//! The API hides the row, which stays until the withdrawal has found the address gone from each
//! account. A suppression of the address also applies to the person's new address.

use kernel::Version;
use time::OffsetDateTime;

use super::{
    Account, Change, Departure, Email, MigrationToken, Places, Remembered, Subscriber,
    SubscriberId, SubscriberStatus, Suppression, SuppressionSource, provider::Found,
    withdrawal::WithdrawalAction,
};

impl Remembered {
    fn suppression(self) -> Suppression {
        Suppression::shown(SuppressionSource::Erasure, None, self.at)
    }
}

impl Subscriber {
    /// Whether the subscriber is being erased. No list or audit entry shows the address any more.
    pub fn is_being_erased(&self) -> bool {
        self.departure == Some(Departure::Erased)
    }

    /// Whether the account holds the present state, or sends nothing because of a suppression.
    /// Until then, an earlier address must stay.
    pub(super) fn is_settled(&self) -> bool {
        let is_synced =
            !self.is_under_way() && self.synced_digest == Some(self.provider_state().digest());
        self.reported_at.is_some() && (self.status.is_suppressed() || is_synced)
    }

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

    /// Applies the status of another address, unless it is older than an operator's reinstatement.
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

pub(super) fn dead_token(id: SubscriberId) -> MigrationToken {
    MigrationToken::from_text(&format!("departed {id}"))
}

/// Begins an erasure. The address stays until both accounts have forgotten it. `None` if already
/// begun.
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
    pub(crate) fn recall(&mut self, remembered: Remembered, now: OffsetDateTime) {
        let from = remembered.suppression();
        self.subscriber.inherit(remembered.status, Some(&from), now);
    }
}

/// Creates a row for an address of which only a suppression is remembered.
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

/// Applies a suppression of the departed address to the present record. `None` without a change.
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

/// The action that removes a departing address from an account. `None` while the new address is not
/// settled, so that the person always has one address there.
pub fn action(departed: &Subscriber, successor: Option<&Subscriber>) -> Option<WithdrawalAction> {
    match (departed.departure, successor) {
        (Some(Departure::Moved(_)), Some(successor)) => {
            successor.is_settled().then_some(WithdrawalAction::Remove)
        }
        _ => Some(WithdrawalAction::Forget),
    }
}

/// Returns the account's record of a departing address if it shows a stronger status, which must be
/// stored before the record is removed.
pub fn kept<'a>(
    account: Account,
    departed: &Subscriber,
    found: Option<&'a Found>,
) -> Option<&'a Found> {
    let is_stronger = |seen| seen > departed.status;
    found.filter(|found| {
        !found.is_deleted && departed.counted(account, found).is_some_and(is_stronger)
    })
}

/// The deletion of a subscriber's row and of its unclaimed tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purge {
    /// The version that the row must have.
    pub expected: Version,
    /// The address of the row.
    pub email: Email,
    /// The status to keep for [`Store::remembered`](crate::store::Store::remembered), if any.
    pub remember: Option<SubscriberStatus>,
}

/// The end of a departure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Deletes the row.
    Purged(Purge),
    /// Keeps the row of the former address, because that address is suppressed.
    Kept(Box<Change>),
}

/// Ends a departure. `None` if not departing, or if an account must still be checked.
pub fn end(departed: &Subscriber, has_successor: bool, now: OffsetDateTime) -> Option<End> {
    departed.departure?;
    if departed.unconfirmed_suppressions().next().is_some() {
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

pub(super) fn purge(subscriber: &Subscriber, expected: Version) -> Purge {
    Purge {
        expected,
        email: subscriber.email.clone(),
        remember: None,
    }
}
