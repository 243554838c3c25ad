//! Decisions of an operator.

use time::OffsetDateTime;

use super::{
    Change, Migrated, MigrationToken, Place, Places, ReceivedEvent, Subscriber, SubscriberStatus,
    Suppression, SuppressionSource,
};
use crate::tasks;

/// Suppresses an address. `None` if an equal or stronger suppression exists.
pub fn suppress(
    known: Option<&Subscriber>,
    notice: &ReceivedEvent,
    source: SuppressionSource,
    reason: Option<&str>,
    now: OffsetDateTime,
) -> Option<Change> {
    let mut after = known.cloned().unwrap_or_else(|| {
        let (email, token) = (notice.event.email.clone(), notice.new_token.clone());
        Subscriber::unreported(email, notice.new_id, token, now)
    });
    let from = Suppression {
        source,
        account: None,
        at: now,
        reason: reason.map(ToOwned::to_owned),
    };
    after.strengthen(notice.event.status, from);
    Change::of_status(known, after, now)
}

/// A suppression from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedSuppression {
    /// Address and status, with the id and token for a new address.
    pub notice: ReceivedEvent,
    /// When the suppression was recorded, if the file says so.
    pub at: Option<OffsetDateTime>,
    /// The reason, if the file has one.
    pub reason: Option<String>,
}

/// Applies an imported suppression. The strongest suppression wins, and a suppression from before a
/// reinstatement does not count.
pub fn import(
    known: Option<&Subscriber>,
    imported: &ImportedSuppression,
    now: OffsetDateTime,
) -> Option<Change> {
    let ImportedSuppression { notice, at, reason } = imported;
    let reinstated_at = known.and_then(|known| known.reinstated_at);
    let is_older = at.zip(reinstated_at).is_some_and(|(at, since)| at < since);
    if is_older {
        return None;
    }
    let source = SuppressionSource::Import;
    suppress(known, notice, source, reason.as_deref(), now)
}

/// Lifts a suppression. Only later observations of the accounts count; the subscriber has to
/// subscribe there again. `None` if not suppressed.
///
/// A move is repeated, because a suppressed subscriber may have stayed in the old account.
pub fn reinstate(subscriber: &Subscriber, now: OffsetDateTime) -> Option<Change> {
    if !subscriber.status.is_suppressed() {
        return None;
    }
    let unknown = Place {
        id: None,
        is_quiet: true,
        is_withdrawn: false,
    };
    let places = Places {
        old: unknown.clone(),
        new: unknown,
    };
    let is_departing = subscriber.departure.is_some();
    let after = Subscriber {
        status: SubscriberStatus::Active,
        suppression: None,
        reinstated_at: Some(now),
        // The removal of the address is still due.
        places: if is_departing {
            subscriber.places.clone()
        } else {
            places
        },
        // The suppression removed the subscriber from the group.
        migrated: subscriber.migrated.map(|migrated| Migrated {
            arrived: false,
            has_joined: false,
            ..migrated
        }),
        synced_digest: None,
        ..subscriber.clone()
    };
    let mut change = Change::new(Some(subscriber), after, now);
    if change.subscriber.migrated.is_some() {
        change.effect = Some(tasks::migrate(subscriber.id));
    } else if change.subscriber.needs_sync() {
        change.ask_for_sync();
    }
    Some(change)
}

/// Replaces a subscriber's migration token. The provider knows neither token.
pub fn rotate_token(
    subscriber: &Subscriber,
    token: &MigrationToken,
    now: OffsetDateTime,
) -> Change {
    let after = Subscriber {
        token: token.clone(),
        ..subscriber.clone()
    };
    Change::new(Some(subscriber), after, now)
}
