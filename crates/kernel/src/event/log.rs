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
    /// The cursor that the page follows; `None` begins at the oldest kept event.
    pub after: Option<Cursor>,
    /// The names of the wanted events.
    pub names: Vec<EventName>,
    /// The prefixes of the postings whose events are wanted.
    pub prefixes: Prefixes,
    /// The client that reads; `None` for the operators.
    pub reader: Option<ClientId>,
    /// The largest number of events.
    pub limit: usize,
}

impl LogQuery {
    /// Whether an event is wanted. Prefixes do not limit events of [`Subject::Other`].
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
    /// The cursor of the next page. It is also past the unwanted events.
    pub next: Cursor,
    /// Whether more events may be readable now. A page before the end may be short, even empty,
    /// because a store examines a limited number of events.
    pub has_more: bool,
}

/// Why the log was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The cursor's event does not exist. Either the log has deleted it and at least one later
    /// event, or the log was restored from an older backup.
    #[error("events after this cursor are no longer kept")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The port to the event log. Commits add events with
/// [`TaskWrites::events`](crate::outbox::TaskWrites::events).
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Returns the events after a cursor, in order. An event is readable only after all earlier
    /// events, so no event ever appears before a returned cursor.
    ///
    /// A valid cursor is the place of a kept event, or of the last deleted one ([`Cursor::START`]
    /// before any deletion). Any other cursor is [`LogError::Gone`]. Returned cursors are valid.
    ///
    /// The cost is bounded: a page examines a fixed number of events, wanted or not.
    async fn read(&self, query: &LogQuery) -> Result<LogPage, LogError>;

    /// The events at these cursors, in order, without deleted ones.
    async fn events_at(&self, cursors: &[Cursor]) -> Result<Vec<RecordedEvent>, StoreError>;

    /// The cursors of the newest kept events of these companies. The events may not be readable
    /// yet.
    async fn newest_of(
        &self,
        companies: &[CompanyId],
    ) -> Result<HashMap<CompanyId, Cursor>, StoreError>;

    /// The cursor of the last readable event. A reader that begins there sees only later events.
    async fn end(&self) -> Result<Cursor, StoreError>;

    /// A cursor before all events since `at`, if writers' clocks agree, and after nearly all
    /// earlier events. The earliest possible result is the place just before the oldest kept event.
    async fn cursor_at(&self, at: OffsetDateTime) -> Result<Cursor, StoreError>;

    /// Deletes up to `limit` events older than `before`, oldest first, without blocking writers.
    /// Returns their number.
    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<usize, StoreError>;
}

/// The driving port for outside readers.
#[async_trait]
pub trait EventFeed: Send + Sync {
    /// Returns the events after a cursor, like [`EventLog::read`]. If there are none, waits for
    /// one, at most for `wait`.
    async fn follow(&self, query: &LogQuery, wait: Duration) -> Result<LogPage, LogError>;

    /// The cursor of the last event that can be read.
    async fn end(&self) -> Result<Cursor, StoreError>;
}
