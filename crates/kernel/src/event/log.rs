//! The port to the event log.

use std::{collections::HashMap, time::Duration};

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{Cursor, Event, EventName, Subject};
use crate::{ClientId, CompanyId, Prefixes, StoreError};

/// An event in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// Its place, which is its id.
    pub cursor: Cursor,
    /// The event.
    pub event: Event,
}

/// A query for a page of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogQuery {
    /// The cursor that the page follows; `None` for the oldest event that is kept.
    pub after: Option<Cursor>,
    /// The names of the wanted events.
    pub names: Vec<EventName>,
    /// The postings whose events are wanted.
    pub prefixes: Prefixes,
    /// The client that reads; `None` for the operator's readers.
    pub reader: Option<ClientId>,
    /// The largest number of events.
    pub limit: usize,
}

impl LogQuery {
    /// Whether an event is wanted. Those that are about neither a posting nor a company have no
    /// prefixes.
    pub fn wants(&self, event: &Event) -> bool {
        let is_other = matches!(event.subject, Subject::Other(_));
        self.names.contains(&event.name) && (is_other || event.is_for(self.reader, &self.prefixes))
    }
}

/// A page of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPage {
    /// The events, in order.
    pub events: Vec<RecordedEvent>,
    /// The cursor of the next page. It passes events that are not wanted.
    pub next: Cursor,
    /// Whether more may be read at once. A page may be short, and even empty, before the end: a
    /// store looks at a limited number of events of any name.
    pub has_more: bool,
}

/// The reason why the log was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The log has no event at the cursor any more: events after it were deleted, or the log ends
    /// before it, because an older backup was restored.
    #[error("events after this cursor are no longer kept")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The port to the event log. Events enter it by commits, with
/// [`TaskWrites::events`](crate::outbox::TaskWrites::events).
#[async_trait]
pub trait EventLog: Send + Sync {
    /// The events that follow a cursor, in order. An event is read once every event before it can
    /// be: no event is ever added before a cursor.
    ///
    /// A cursor is the place of an event that is kept, or of the last one that was deleted
    /// ([`Cursor::START`] before any was); any other one is [`LogError::Gone`]. So every cursor
    /// that is given out is such a place.
    ///
    /// The cost is bounded: a page looks at no more than a fixed number of events, wanted or not.
    async fn read(&self, query: &LogQuery) -> Result<LogPage, LogError>;

    /// The events at these cursors, in order, without those that are no longer kept.
    async fn events_at(&self, cursors: &[Cursor]) -> Result<Vec<RecordedEvent>, StoreError>;

    /// The cursors of the newest events of these companies, without those of which none is kept.
    /// Readers of the log may not have come to them.
    async fn newest_of(
        &self,
        companies: &[CompanyId],
    ) -> Result<HashMap<CompanyId, Cursor>, StoreError>;

    /// The cursor of the last event that can be read, for a reader that wants only later ones.
    async fn end(&self) -> Result<Cursor, StoreError>;

    /// A cursor that all events since `at` follow. It follows about all before, as far as the
    /// clocks of the writers agree. The oldest kept one if there are no older events.
    async fn cursor_at(&self, at: OffsetDateTime) -> Result<Cursor, StoreError>;

    /// Deletes events from before `before`, the oldest first and at most `limit`, without keeping
    /// writers waiting. Returns the number.
    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<usize, StoreError>;
}

/// The driving port for readers outside.
#[async_trait]
pub trait EventFeed: Send + Sync {
    /// The events that follow a cursor, as [`EventLog::read`] does. If there is none yet, the
    /// answer waits for one, for at most `wait`.
    async fn follow(&self, query: &LogQuery, wait: Duration) -> Result<LogPage, LogError>;

    /// The cursor of the last event that can be read.
    async fn end(&self) -> Result<Cursor, StoreError>;
}
