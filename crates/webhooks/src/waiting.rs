//! Events that wait for an endpoint, one record a subject.

use kernel::event::{Cursor, EventName, RecordedEvent};
use time::OffsetDateTime;
use uuid::Uuid;

/// The most later events that a record lists. Further ones are found in the log again.
pub const MOST_LATER: usize = 128;

/// A subject whose events wait for an endpoint: the last attempt at its next event failed, or it
/// had more events than a round attempts. The endpoint's cursor passes its events meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingSubject {
    /// The id of the subject.
    pub subject: Uuid,
    /// The next event.
    pub next: WaitingEvent,
    /// The number of attempts at the next event.
    pub attempts: u32,
    /// When the next attempt is due.
    pub next_at: OffsetDateTime,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// Whether the last attempt was not answered: it is due as soon as the circuit closes.
    pub is_silent: bool,
    /// The events that wait behind the next one, in order.
    pub later: Vec<WaitingEvent>,
    /// The place up to which `later` is complete, if that is before the endpoint's cursor: all
    /// events of the subject from there to the cursor wait as well, and are still in the log alone.
    pub read_to: Option<Cursor>,
}

/// An event that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingEvent {
    /// The event.
    pub cursor: Cursor,
    /// Its name.
    pub name: EventName,
}

impl WaitingSubject {
    /// A subject with one event, without an attempt, that is due at a time.
    pub fn due(event: &RecordedEvent, at: OffsetDateTime) -> Self {
        Self {
            subject: event.event.subject.id(),
            next: WaitingEvent::from(event),
            attempts: 0,
            next_at: at,
            last_error: None,
            is_silent: false,
            later: Vec::new(),
            read_to: None,
        }
    }

    /// The number of events that are listed.
    pub const fn count(&self) -> usize {
        1 + self.later.len()
    }

    /// Adds an event that is delivered again, in its order, with all attempts of a new one. The
    /// subject is due at `at`. A store calls it for [`Webhooks::resend`](crate::Webhooks::resend).
    pub fn resend(&mut self, event: &WaitingEvent, at: OffsetDateTime) {
        self.next_at = at;
        if event.cursor < self.next.cursor {
            let next = std::mem::replace(&mut self.next, event.clone());
            self.later.insert(0, next);
        } else if event.cursor > self.next.cursor {
            let is_listed = self.read_to.is_none_or(|to| event.cursor <= to);
            let place = self
                .later
                .binary_search_by_key(&event.cursor, |it| it.cursor);
            if let (true, Err(place)) = (is_listed, place) {
                self.later.insert(place, event.clone());
            }
            return;
        }
        self.attempts = 0;
        self.last_error = None;
        self.is_silent = false;
    }
}

impl From<&RecordedEvent> for WaitingEvent {
    fn from(event: &RecordedEvent) -> Self {
        Self {
            cursor: event.cursor,
            name: event.event.name.clone(),
        }
    }
}
