//! The move from the provider's old account to the new one.

use time::OffsetDateTime;

use super::{
    Account, Change, Migrated, MigrationSource, Subscriber, SuppressionSource,
    provider::{Found, ProviderStatus},
    sync::{ProviderState, Sight},
};
use crate::tasks;

/// Moves a subscriber to the new account. `None` for who has moved already, for who was never
/// reported, and for who presses a button though they get no mail.
pub fn migrate(
    subscriber: &Subscriber,
    source: MigrationSource,
    now: OffsetDateTime,
) -> Option<Change> {
    let is_in_vain =
        source == MigrationSource::EmailConfirmation && subscriber.status.is_suppressed();
    if subscriber.migrated.is_some() || subscriber.reported_at.is_none() || is_in_vain {
        return None;
    }
    let after = Subscriber {
        migrated: Some(Migrated {
            at: now,
            source,
            arrived: false,
            was_found: false,
            has_joined: false,
        }),
        ..subscriber.clone()
    };
    let mut change = Change::new(Some(subscriber), after, now);
    change.effect = Some(tasks::migrate(subscriber.id));
    Some(change)
}

/// Whether a confirmation by the person would move them.
pub const fn is_to_move(subscriber: &Subscriber) -> bool {
    subscriber.migrated.is_none()
        && subscriber.reported_at.is_some()
        && !subscriber.status.is_suppressed()
}

/// What the new account is to be told of someone who is on the way there; `None` of others.
pub fn due(subscriber: &Subscriber) -> Option<ProviderState> {
    let migrated = subscriber.migrated?;
    (!migrated.arrived).then(|| subscriber.provider_state())
}

/// The move of a person who had another address before and moved, or began to, under that one.
/// The old account may have the present address, so it is gone through once more.
pub(super) fn once_more(migrated: Migrated) -> Migrated {
    Migrated {
        arrived: false,
        ..migrated
    }
}

/// Whether a move that began with this is still that of the person: who has another address since
/// is moved under that one.
pub fn is_of(subscriber: &Subscriber, state: &ProviderState) -> bool {
    due(subscriber).is_some() && subscriber.email == state.profile.email
}

/// What follows from a look at an account during a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// It goes on.
    GoOn,
    /// Nobody is moved: the person is suppressed, and stays where that is known.
    Stay,
    /// It needs an operator, who reads this.
    Stuck(String),
}

/// Takes in what the old account showed. `was_there` says that it showed the person earlier in
/// this attempt, in which nobody has removed them yet.
pub fn look(
    subscriber: &Subscriber,
    found: Option<&Found>,
    was_there: bool,
    now: OffsetDateTime,
) -> (Subscriber, Next) {
    let (old, source) = (Account::Old, SuppressionSource::Move);
    let mut after = subscriber.clone();
    let is_deleted = found.is_some_and(|found| found.is_deleted);
    // Who is in the new account already was taken out of the old one by the move.
    let has_left = after.places.new.id.is_some();
    let was_known = is_deleted || after.places.old.id.is_some();
    match found.filter(|found| !found.is_deleted) {
        Some(found) => {
            if let Some(migrated) = &mut after.migrated {
                migrated.was_found = true;
            }
            after.see(old, found, source, now);
        }
        None if was_there || (was_known && !has_left) => after.miss(old, source, now),
        None => {}
    }
    let next = next(&after, old, found.filter(|found| !found.is_deleted));
    (after, next)
}

/// Takes in what the new account showed of the person who was to join it.
pub fn join(subscriber: &Subscriber, sight: &Sight, now: OffsetDateTime) -> (Subscriber, Next) {
    let (new, source) = (Account::New, SuppressionSource::Move);
    let mut after = subscriber.clone();
    let found = match sight {
        Sight::Found(found) => {
            after.see(new, found, source, now);
            if let Some(migrated) = &mut after.migrated {
                migrated.has_joined |= found.status == ProviderStatus::Active;
            }
            Some(found)
        }
        Sight::Missing | Sight::Nobody => {
            after.miss(new, source, now);
            None
        }
    };
    let next = next(&after, new, found);
    (after, next)
}

fn next(subscriber: &Subscriber, account: Account, found: Option<&Found>) -> Next {
    if subscriber.status.is_suppressed() {
        return Next::Stay;
    }
    match found.map(|found| found.status) {
        None | Some(ProviderStatus::Active) => Next::GoOn,
        Some(status) => Next::Stuck(format!(
            "the {account} account shows the person as {status}: only who is active is moved"
        )),
    }
}

/// What a step of a move changes, if anything. Nothing follows from it yet: the person is on the
/// way.
pub fn change(subscriber: &Subscriber, after: Subscriber, now: OffsetDateTime) -> Option<Change> {
    (after != *subscriber).then(|| Change::new(Some(subscriber), after, now))
}

/// Ends the move of someone who is suppressed: they stay in the old account, where that is
/// known. An attempt whose answer was lost may have put them into the new one, so that is looked
/// at once more.
pub fn stay(before: &Subscriber, subscriber: Subscriber, now: OffsetDateTime) -> Change {
    let mut after = subscriber;
    if let Some(migrated) = &mut after.migrated {
        migrated.arrived = true;
    }
    after.places.new.is_quiet = false;
    after.synced_digest = Some(after.provider_state().digest());
    Change::new(Some(before), after, now)
}

/// Records that both accounts show the move, and what the new one was told. Asks for a sync if
/// there is more to tell by now. `None` for who has arrived already.
pub fn arrive(
    subscriber: &Subscriber,
    told: &ProviderState,
    now: OffsetDateTime,
) -> Option<Change> {
    let migrated = subscriber.migrated?;
    if migrated.arrived {
        return None;
    }
    let mut after = subscriber.clone();
    after.migrated = Some(Migrated {
        arrived: true,
        ..migrated
    });
    after.places.old.id = None;
    // Who was suppressed at the last moment is active there.
    after.places.new.is_quiet = false;
    after.hold(told.digest(), now);
    let mut change = Change::new(Some(subscriber), after, now);
    if change.subscriber.needs_sync() {
        change.ask_for_sync();
    }
    Some(change)
}
