use kernel::{Version, event::EventName, outbox::Effect};
use time::OffsetDateTime;

use super::{Subscriber, SubscriberStatus};
use crate::tasks;

/// A decided change of one subscriber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The version that the decision is based on; `None` for a new address.
    pub expected: Option<Version>,
    /// The subscriber after the change.
    pub subscriber: Subscriber,
    /// The event that the change raises.
    pub event: Option<EventName>,
    /// The requested task. A suppression that an account must still apply also requests a
    /// withdrawal.
    pub effect: Option<Effect>,
    /// Whether a withdrawal made the change, which then requests no further withdrawal.
    pub(crate) is_of_withdrawal: bool,
}

impl Change {
    pub(super) fn new(
        known: Option<&Subscriber>,
        mut subscriber: Subscriber,
        now: OffsetDateTime,
    ) -> Self {
        // Clocks of several machines may disagree, but time must not go back.
        subscriber.updated_at = subscriber.updated_at.max(now);
        Self {
            expected: known.map(|known| known.version),
            subscriber,
            event: None,
            effect: None,
            is_of_withdrawal: false,
        }
    }

    /// A change of the status, which requests a sync of a reported subscriber. `None` for the same
    /// status.
    pub(super) fn of_status(
        known: Option<&Subscriber>,
        subscriber: Subscriber,
        now: OffsetDateTime,
    ) -> Option<Self> {
        let before = known.map_or(SubscriberStatus::Active, |known| known.status);
        if subscriber.status == before {
            return None;
        }
        let mut change = Self::new(known, subscriber, now);
        if change.subscriber.reported_at.is_some() {
            change.ask_for_sync();
        }
        Some(change)
    }

    pub(super) fn ask_for_sync(&mut self) {
        self.effect = Some(self.own_sync());
    }

    /// Raises an event, with the effect that its listener requests.
    pub(super) fn raise(&mut self, event: EventName) {
        self.effect = listen(&event, self);
        self.event = Some(event);
    }

    /// A move in progress sends the present state itself. Its task may have been dismissed.
    fn own_sync(&self) -> Effect {
        match self.expected {
            _ if self.subscriber.is_under_way() => tasks::migrate(self.subscriber.id),
            None => self.subscriber.bulk_sync(),
            Some(_) => self.subscriber.sync(),
        }
    }
}

/// Returns the sync that an event requests. A changed individual membership requests a sync if the
/// account's known state differs, which a lapse or renewal does not cause, or if a move is in
/// progress.
fn listen(event: &EventName, change: &Change) -> Option<Effect> {
    let is_listened_to = *event == tasks::INDIVIDUAL_MEMBERSHIP_UPDATED;
    let subscriber = &change.subscriber;
    let is_due = subscriber.needs_sync() || subscriber.is_under_way();
    (is_listened_to && is_due).then(|| change.own_sync())
}

impl Subscriber {
    /// The sync of the subscriber's account.
    pub const fn sync(&self) -> Effect {
        tasks::sync(self.id, self.account())
    }

    /// The sync as bulk work, which runs after syncs of single changes.
    pub const fn bulk_sync(&self) -> Effect {
        tasks::bulk_sync(self.id, self.account())
    }
}
