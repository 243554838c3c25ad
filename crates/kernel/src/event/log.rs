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
    /// The cursor before the page; `None` for the oldest kept event.
    pub after: Option<Cursor>,
    /// The names of the wanted events.
    pub names: Vec<EventName>,
    /// The postings whose events are wanted.
    pub prefixes: Prefixes,
    /// The reading client; `None` for operators' readers.
    pub reader: Option<ClientId>,
    /// The largest number of events.
    pub limit: usize,
}

impl LogQuery {
    /// Whether an event is wanted. Events about neither postings nor companies have no prefixes.
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
    /// The next page's cursor. It also passes unwanted events.
    pub next: Cursor,
    /// Whether more may be readable at once. A page may be short, even empty, before the end: a
    /// store examines a limited number of events.
    pub has_more: bool,
}

/// Why the log was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The cursor's event is gone: later events were deleted, or the log ends before it, because an
    /// older backup was restored.
    #[error("events after this cursor are no longer kept")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The port to the event log. Commits add events by
/// [`TaskWrites::events`](crate::outbox::TaskWrites::events).
#[async_trait]
pub trait EventLog: Send + Sync {
    /// The events after a cursor, in order. An event is readable once every earlier one is: no
    /// event is ever added before a cursor.
    ///
    /// A cursor is the place of a kept event or of the last deleted one ([`Cursor::START`] before
    /// any deletion); any other is [`LogError::Gone`]. Every returned cursor is such a place.
    ///
    /// The cost is bounded: a page examines a fixed number of events, wanted or not.
    async fn read(&self, query: &LogQuery) -> Result<LogPage, LogError>;

    /// The events at these cursors, in order, without deleted ones.
    async fn events_at(&self, cursors: &[Cursor]) -> Result<Vec<RecordedEvent>, StoreError>;

    /// The cursors of these companies' newest kept events, which readers of the log may not have
    /// reached.
    async fn newest_of(
        &self,
        companies: &[CompanyId],
    ) -> Result<HashMap<CompanyId, Cursor>, StoreError>;

    /// The cursor of the last readable event, to follow only later ones.
    async fn end(&self) -> Result<Cursor, StoreError>;

    /// A cursor before all events since `at` and after nearly all earlier ones, as far as writers'
    /// clocks agree; never before the oldest kept one.
    async fn cursor_at(&self, at: OffsetDateTime) -> Result<Cursor, StoreError>;

    /// Deletes up to `limit` events from before `before`, oldest first, without blocking writers.
    /// Returns the number.
    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<usize, StoreError>;
}

/// The driving port for outside readers.
#[async_trait]
pub trait EventFeed: Send + Sync {
    /// The events after a cursor, as [`EventLog::read`]. Without any, waits for one, at most
    /// `wait`.
    async fn follow(&self, query: &LogQuery, wait: Duration) -> Result<LogPage, LogError>;

    /// The cursor of the last event that can be read.
    async fn end(&self) -> Result<Cursor, StoreError>;
}
