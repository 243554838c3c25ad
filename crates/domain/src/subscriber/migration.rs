//! The move from the provider's old account to the new one.

use time::OffsetDateTime;

use super::{Change, Migrated, MigrationSource, Subscriber, SubscriberStatus, sync::Telling};
use crate::outbox::Effect;

/// Moves a subscriber to the new account. `None` for who has moved already, and for who was
/// never reported.
pub fn migrate(
    subscriber: &Subscriber,
    source: MigrationSource,
    now: OffsetDateTime,
) -> Option<Change> {
    if subscriber.migrated.is_some() || subscriber.reported_at.is_none() {
        return None;
    }
    let after = Subscriber {
        migrated: Some(Migrated {
            at: now,
            source,
            arrived: false,
        }),
        ..subscriber.clone()
    };
    let mut change = Change::new(Some(subscriber), after, now);
    change.effect = Some(Effect::Migrate(subscriber.id));
    Some(change)
}

/// What the new account is to be told of someone who is on the way there; `None` of others.
pub fn due(subscriber: &Subscriber) -> Option<Telling> {
    let migrated = subscriber.migrated?;
    (!migrated.arrived).then(|| subscriber.telling())
}

/// Records the status that the old account showed, if it is a stronger one. Nothing follows
/// from it yet: the person is on the way.
pub fn found(
    subscriber: &Subscriber,
    status: SubscriberStatus,
    now: OffsetDateTime,
) -> Option<Change> {
    let mut after = subscriber.clone();
    after.strengthen(status);
    (after.status != subscriber.status).then(|| Change::new(Some(subscriber), after, now))
}

/// Records that both accounts show the move, and what the new one was told. Asks for a sync if
/// there is more to tell by now. `None` for who has arrived already.
pub fn arrive(subscriber: &Subscriber, told: &Telling, now: OffsetDateTime) -> Option<Change> {
    let migrated = subscriber.migrated?;
    if migrated.arrived {
        return None;
    }
    let mut after = subscriber.clone();
    after.migrated = Some(Migrated {
        arrived: true,
        ..migrated
    });
    after.strengthen(told.status);
    after.told = Some(told.digest());
    let mut change = Change::new(Some(subscriber), after, now);
    if change.subscriber.is_untold() {
        change.ask_for_sync();
    }
    Some(change)
}
