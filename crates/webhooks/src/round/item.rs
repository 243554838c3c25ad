//! The events of a round.

use domain::posting::event::COMPANY_UPDATED;
use kernel::event::RecordedEvent;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::WaitingEvent;

/// An event of a round.
#[derive(Debug)]
pub struct Item {
    /// Its place in the log, and its name.
    pub place: WaitingEvent,
    /// The id of its subject.
    pub subject: Uuid,
    /// The event, if this round may attempt it.
    pub event: Option<RecordedEvent>,
    /// The number of attempts.
    pub attempts: u32,
    pub source: Source,
    /// When it is due, if later than now.
    pub due_at: Option<OffsetDateTime>,
    pub state: State,
}

/// The place where a round read an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The log after the endpoint's cursor.
    Page,
    /// A waiting subject, before the cursor.
    Waiting,
    /// The lane with this id, before the cursor.
    Lane(Uuid),
}

/// The state of an event.
#[derive(Debug)]
pub enum State {
    /// Not attempted.
    Open,
    /// Not opened yet: the subject has earlier events that wait, or too many events.
    Aside,
    InFlight,
    Delivered,
    /// The attempt failed, and a retry is scheduled.
    Failed(Failure),
    DeadLetter,
    /// The event is no longer kept or wanted.
    Dropped,
    /// A later event of the subject replaces this event.
    Superseded,
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub attempts: u32,
    pub next_at: OffsetDateTime,
    pub error: Option<String>,
    pub is_silent: bool,
}

impl Item {
    pub fn read(event: RecordedEvent, source: Source, state: State) -> Self {
        Self {
            place: WaitingEvent::from(&event),
            subject: event.event.subject.id(),
            event: Some(event),
            attempts: 0,
            source,
            due_at: None,
            state,
        }
    }

    pub const fn waiting(subject: Uuid, place: WaitingEvent) -> Self {
        Self {
            place,
            subject,
            event: None,
            attempts: 0,
            source: Source::Waiting,
            due_at: None,
            state: State::Aside,
        }
    }

    pub fn waits(&self) -> bool {
        self.source == Source::Waiting
    }

    pub const fn is_left(&self) -> bool {
        matches!(self.state, State::Open | State::InFlight)
    }

    pub const fn has_ended(&self) -> bool {
        matches!(
            self.state,
            State::Delivered | State::Failed(_) | State::DeadLetter
        )
    }

    pub const fn can_be_attempted(&self) -> bool {
        matches!(self.state, State::Aside)
    }

    /// Whether a later event with the same name and subject replaces this event. Each such event
    /// has all data of the company.
    pub fn can_be_superseded(&self) -> bool {
        self.place.name == COMPANY_UPDATED && matches!(self.state, State::Open | State::Aside)
    }
}
