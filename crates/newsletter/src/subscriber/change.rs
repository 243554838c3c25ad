//! What a decision changes: the subscriber as it is afterwards, and what follows from it.

use domain::{
    Version,
    outbox::{Effect, Event, EventName, Subject},
};
use time::OffsetDateTime;

use super::{Subscriber, SubscriberStatus};
use crate::{
    store::{SubscriberWrite, WriteSet},
    tasks,
};

/// A decided change of one subscriber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The version it was decided on; `None` for an address that is new.
    pub expected: Option<Version>,
    /// The subscriber as it is afterwards.
    pub subscriber: Subscriber,
    /// The event it raises.
    pub event: Option<EventName>,
    /// The effect it asks for. A suppression that has not reached both accounts asks for its
    /// own besides.
    pub effect: Option<Effect>,
    /// Whether it is that of a withdrawal, which sees to what is left itself.
    pub(super) is_of_withdrawal: bool,
}

impl Change {
    /// A change from what is known to this.
    pub(super) fn new(
        known: Option<&Subscriber>,
        mut subscriber: Subscriber,
        now: OffsetDateTime,
    ) -> Self {
        // Clocks of several machines may disagree; time never goes back.
        subscriber.updated_at = subscriber.updated_at.max(now);
        Self {
            expected: known.map(|known| known.version),
            subscriber,
            event: None,
            effect: None,
            is_of_withdrawal: false,
        }
    }

    /// A change of a person's status, which the account is to know if they were reported. `None`
    /// when the status stays as it was.
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

    /// Asks for a sync to the account that the subscriber is in; of who is new, behind others.
    pub(super) const fn ask_for_sync(&mut self) {
        self.effect = Some(match self.expected {
            None => self.subscriber.bulk_sync(),
            Some(_) => self.subscriber.sync(),
        });
    }

    /// Adds the change to a commit, and gives the subscriber with its version, which is what
    /// the next decision of the same batch is to know.
    pub fn record(self, writes: &mut WriteSet) -> Subscriber {
        let Self {
            mut subscriber,
            event,
            effect,
            is_of_withdrawal,
            ..
        } = self;
        let id = subscriber.id;
        let at = writes.tasks.at;
        writes.tasks.events.extend(event.map(|name| Event {
            name,
            subject: Subject::of(id.uuid()),
            at,
        }));
        if let Some(effect) = effect {
            writes.tasks.ask(effect);
        }
        if !is_of_withdrawal && subscriber.unquiet().next().is_some() {
            writes.tasks.ask(tasks::withdraw(id));
        }
        // However many commands change it, a commit moves a subscriber on by one version.
        let earlier = writes.subscribers.get(&id);
        let expected = earlier.map_or(self.expected, |earlier| earlier.expected);
        subscriber.version = expected.map_or(1, |version| version + 1);
        writes.subscribers.insert(
            id,
            SubscriberWrite {
                expected,
                subscriber: subscriber.clone(),
            },
        );
        subscriber
    }
}

impl Subscriber {
    /// The sync that tells the provider about the subscriber.
    pub const fn sync(&self) -> Effect {
        tasks::sync(self.id, self.account())
    }

    /// The same, behind all that changes of people ask for.
    pub const fn bulk_sync(&self) -> Effect {
        tasks::bulk_sync(self.id, self.account())
    }
}
