//! The move from the provider's old account to the new one.

use std::mem;

use time::OffsetDateTime;

use super::{
    Account, Change, Migrated, MigrationSource, Subscriber, SuppressionSource,
    provider::{Found, ProviderStatus},
    sync::{Observation, ProviderState},
};
use crate::tasks;

/// Starts the move to the new account. `None` if already started or never reported, or if a
/// suppressed subscriber confirms it.
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

/// Whether the subscriber's confirmation would start a move.
pub const fn is_to_move(subscriber: &Subscriber) -> bool {
    subscriber.migrated.is_none()
        && subscriber.reported_at.is_some()
        && !subscriber.status.is_suppressed()
}

/// The state that the new account must hold; `None` unless a move is in progress.
pub fn due(subscriber: &Subscriber) -> Option<ProviderState> {
    subscriber
        .is_under_way()
        .then(|| subscriber.provider_state())
}

/// Restarts a move after a change of address, because the old account may hold the new address.
pub(super) fn once_more(migrated: Migrated) -> Migrated {
    Migrated {
        arrived: false,
        ..migrated
    }
}

/// Whether a move that began with this state still applies. A change of address starts another
/// move.
pub fn is_of(subscriber: &Subscriber, state: &ProviderState) -> bool {
    due(subscriber).is_some() && subscriber.email == state.profile.email
}

/// Removing a person from one of such accounts would lose them.
const ONE_ACCOUNT: &str = "the old and the new API key are keys of one account, so nothing was \
    removed: give each account its own key, restart the workers, then retry the move";

/// How a move continues after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next step follows.
    GoOn,
    /// The move ends: the subscriber is suppressed, and stays in the old account.
    Stay,
    /// The move stops with this message until an operator acts.
    Stuck(String),
}

/// Applies the old account's answer. `was_there`: the account showed the subscriber before.
pub fn look(
    subscriber: &Subscriber,
    found: Option<&Found>,
    was_there: bool,
    now: OffsetDateTime,
) -> (Subscriber, Next) {
    let (old, source) = (Account::Old, SuppressionSource::Move);
    let mut after = subscriber.clone();
    let is_deleted = found.is_some_and(|found| found.is_deleted);
    // A subscriber in the new account was removed from the old one by this move.
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
        None => after.places.old.id = None,
    }
    decide(after, old, found.filter(|found| !found.is_deleted))
}

/// Applies the new account's answer to the request to join.
pub fn join(
    subscriber: &Subscriber,
    observed: &Observation,
    now: OffsetDateTime,
) -> (Subscriber, Next) {
    let (new, source) = (Account::New, SuppressionSource::Move);
    let mut after = subscriber.clone();
    let found = match observed {
        Observation::Found(found) => {
            after.see(new, found, source, now);
            if let Some(migrated) = &mut after.migrated {
                migrated.has_joined |= found.status == ProviderStatus::Active;
            }
            Some(found)
        }
        Observation::Missing | Observation::Nobody => {
            after.miss(new, source, now);
            None
        }
    };
    decide(after, new, found)
}

/// Two accounts that show one id are the same account, unless an id is from a list that was read
/// with a wrong key. Only an id that the new account returned stops the move. All ids that may be
/// another account's are cleared, so that the move works once the keys are right.
fn decide(mut after: Subscriber, account: Account, found: Option<&Found>) -> (Subscriber, Next) {
    let is_same = found.is_some_and(|found| {
        let ids = [&after.places.old.id, &after.places.new.id];
        ids.iter().all(|id| id.as_ref() == Some(&found.id))
    });
    let mut is_one = false;
    if is_same {
        let migrated = after.migrated.as_mut();
        is_one = migrated.is_some_and(|migrated| mem::take(&mut migrated.has_joined));
        after.places.new.id = None;
    }
    if is_one {
        after.places.old.id = None;
    }
    let next = next(&after, account, found, is_one);
    (after, next)
}

fn next(after: &Subscriber, account: Account, found: Option<&Found>, is_one: bool) -> Next {
    if after.status.is_suppressed() {
        return Next::Stay;
    }
    match found.map(|found| found.status) {
        _ if is_one => Next::Stuck(ONE_ACCOUNT.to_owned()),
        None | Some(ProviderStatus::Active) => Next::GoOn,
        Some(status) => Next::Stuck(format!(
            "the {account} account shows the person as {status}: only active people are moved"
        )),
    }
}

/// Returns a step's change, if any. The change requests no task: the move is still in progress.
pub fn change(subscriber: &Subscriber, after: Subscriber, now: OffsetDateTime) -> Option<Change> {
    (after != *subscriber).then(|| Change::new(Some(subscriber), after, now))
}

/// Ends the move of a suppressed subscriber, who stays in the old account. The new account is
/// checked again, because a call whose answer was lost may have added them.
pub fn stay(before: &Subscriber, subscriber: Subscriber, now: OffsetDateTime) -> Change {
    let mut after = subscriber;
    if let Some(migrated) = &mut after.migrated {
        migrated.arrived = true;
    }
    after.places.new.is_quiet = false;
    after.synced_digest = Some(after.provider_state().digest());
    Change::new(Some(before), after, now)
}

/// Records the arrival, and the state that the new account holds. `None` if already recorded.
pub fn arrive(
    subscriber: &Subscriber,
    sent: &ProviderState,
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
    // The account must still apply a suppression that was recorded during the move.
    after.places.new.is_quiet = false;
    after.hold(sent.digest(), now);
    let mut change = Change::new(Some(subscriber), after, now);
    if change.subscriber.needs_sync() {
        change.ask_for_sync();
    }
    Some(change)
}
