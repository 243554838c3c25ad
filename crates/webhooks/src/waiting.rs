//! Waiting events, with one record per subject.

use kernel::event::{Cursor, EventName, RecordedEvent};
use time::OffsetDateTime;
use uuid::Uuid;

/// The largest number of later events listed. More events are found in the log.
pub const MOST_LATER: usize = 128;

/// A subject whose events wait for an endpoint: its next event failed or was resent, or it had more
/// events than a round attempts. The endpoint's cursor passes these events.
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
    /// Whether the last attempt had no answer. Such an event is due when an answer ends two or more
    /// silent rounds.
    pub is_silent: bool,
    /// The following waiting events, in order.
    pub later: Vec<WaitingEvent>,
    /// The place up to which `later` is complete, if that is before the endpoint's cursor. From
    /// there to the cursor, the subject's waiting events are only in the log.
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
    /// A subject with one event, which has no attempts and is due at `at`.
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

    /// The number of listed events.
    pub const fn count(&self) -> usize {
        1 + self.later.len()
    }

    /// Adds a resent event in order, as if it had no attempts. The subject is due at `at`. Stores
    /// call it for [`Webhooks::resend`](crate::Webhooks::resend).
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
