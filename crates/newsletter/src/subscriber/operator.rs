//! What an operator decides about a person: that nothing may be sent to them, or that it may
//! again, or that their link is to be another one.

use time::OffsetDateTime;

use super::{
    Change, Migrated, MigrationToken, Notice, Place, Places, Subscriber, SubscriberStatus,
    Suppression, SuppressionSource,
};
use crate::tasks;

/// Suppresses an address for a reason, whether it is known or not. `None` when a suppression as
/// strong stands already. The status of the notice is the one to set.
pub fn suppress(
    known: Option<&Subscriber>,
    notice: &Notice,
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

/// A suppression as a file tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedSuppression {
    /// Whom it is about and the status, with the id and the token to use if the address is new.
    pub notice: Notice,
    /// When it was learnt, if the file says so.
    pub at: Option<OffsetDateTime>,
    /// Why, if the file says so.
    pub reason: Option<String>,
}

/// Takes in a suppression from a file. The strongest status stands, and none is ever lifted. One
/// that was learnt before an operator reinstated the person does not count. `None` when it
/// changes nothing.
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

/// Lets mail be sent to a person again, from this moment on: what the provider says of before it
/// does not count any more. No account is told to make the person active; whoever wants mail has
/// subscribed there. `None` when the person is not suppressed.
///
/// Someone who had moved is moved once more, because a suppressed person may have stayed in the
/// old account.
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
        // An address that is to go is still to go.
        places: if is_departing {
            subscriber.places.clone()
        } else {
            places
        },
        // Suppression has taken them out of the group.
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

/// Gives a person another migration token. The provider does not know either.
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
