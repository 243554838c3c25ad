//! The events of a round.

use domain::posting::event::COMPANY_UPDATED;
use kernel::event::RecordedEvent;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::WaitingEvent;

/// An event of a round.
#[derive(Debug)]
pub struct Item {
    /// Its place and name.
    pub place: WaitingEvent,
    /// The id of its subject.
    pub subject: Uuid,
    /// The event, if it may be attempted in this round.
    pub event: Option<RecordedEvent>,
    /// The number of attempts.
    pub attempts: u32,
    pub source: Source,
    /// When it is due, if that is later.
    pub due_at: Option<OffsetDateTime>,
    pub state: State,
}

/// The place from which a round has read an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The log, after the endpoint's cursor.
    Page,
    /// A waiting subject: the endpoint's cursor has passed it.
    Waiting,
    /// The lane with this id: the endpoint's cursor has passed it as well.
    Lane(Uuid),
}

/// The state of an event.
#[derive(Debug)]
pub enum State {
    /// No attempt has been made.
    Open,
    /// This round makes no attempt: earlier events of the subject wait, or the subject has too many
    /// events.
    Aside,
    /// An attempt is under way.
    InFlight,
    /// The receiver has taken it.
    Delivered,
    /// It is retried.
    Failed(Failure),
    /// It failed for the last time.
    DeadLetter,
    /// It is no longer kept, or the endpoint does not want it any more.
    Dropped,
    /// A later event of the subject replaces it.
    Superseded,
}

/// A failed attempt.
#[derive(Clone, Debug)]
pub struct Failure {
    pub attempts: u32,
    pub next_at: OffsetDateTime,
    pub error: Option<String>,
    pub is_silent: bool,
}

impl Item {
    /// An event that was read from the log.
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

    /// An event that waits.
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

    /// Whether the event waits already as one of its subject.
    pub fn waits(&self) -> bool {
        self.source == Source::Waiting
    }

    /// Whether no attempt has ended, and one may be made.
    pub const fn is_left(&self) -> bool {
        matches!(self.state, State::Open | State::InFlight)
    }

    /// Whether an attempt has ended.
    pub const fn has_ended(&self) -> bool {
        matches!(
            self.state,
            State::Delivered | State::Failed(_) | State::DeadLetter
        )
    }

    /// Whether it may be attempted when its turn comes.
    pub const fn can_be_attempted(&self) -> bool {
        matches!(self.state, State::Aside)
    }

    /// Whether a later event of its name and subject makes it unnecessary: an event of a company
    /// has the whole company.
    pub fn can_be_superseded(&self) -> bool {
        self.place.name == COMPANY_UPDATED && matches!(self.state, State::Open | State::Aside)
    }
}
