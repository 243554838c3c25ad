//! The events of a round.

use kernel::event::RecordedEvent;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::WaitingEvent;

/// An event of a round.
#[derive(Debug)]
pub struct Item {
    /// The event.
    pub event: RecordedEvent,
    /// What it is about.
    pub subject: Uuid,
    /// The number of attempts.
    pub attempts: u32,
    /// Whether it is one of the waiting events already.
    pub waits: bool,
    /// When it is due, if that is later.
    pub due_at: Option<OffsetDateTime>,
    /// What became of it.
    pub state: State,
}

/// The state of an event.
#[derive(Debug)]
pub enum State {
    /// No attempt has been made.
    Open,
    /// None is made, because an earlier event of the subject waits.
    Behind,
    /// One is under way.
    InFlight,
    /// The receiver has taken it.
    Delivered,
    /// To be tried again.
    Failed(WaitingEvent),
    /// Failed for the last time.
    DeadLetter,
}

impl Item {
    /// An event of the page.
    pub const fn new(event: RecordedEvent, state: State) -> Self {
        Self {
            subject: event.event.subject.id(),
            event,
            attempts: 0,
            waits: false,
            due_at: None,
            state,
        }
    }

    /// Whether no attempt has ended, and one may be made.
    pub const fn is_left(&self) -> bool {
        matches!(self.state, State::Open | State::InFlight)
    }

    /// The event as it waits from now on.
    pub fn waiting(
        &self,
        next_at: Option<OffsetDateTime>,
        last_error: Option<String>,
        is_silent: bool,
    ) -> WaitingEvent {
        WaitingEvent {
            cursor: self.event.cursor,
            name: self.event.event.name.clone(),
            subject: self.subject,
            attempts: self.attempts,
            next_at,
            last_error,
            is_silent,
        }
    }
}
