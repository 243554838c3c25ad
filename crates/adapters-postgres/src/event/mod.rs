//! The event log, in the table `events`, and the port to it.
//!
//! The log is in the order of (`commit_seq`, `number`): the *place* of the commit, and a number
//! from a sequence. A transaction gets its id when it first writes something, and not when it
//! commits, so a later one may be committed first. A reader therefore sees only events below the
//! *horizon*: the id of the oldest transaction that is still running, as the snapshot of the
//! reader's own statement has it. Transactions below it are committed and seen, or undone, so the
//! log never grows behind a cursor, and no row has to be numbered later.
//!
//! The place is the transaction's own id or, if that is greater, the greatest id of those that have
//! ended by the time at which the commit has locked all its rows. It is never below the own id, so
//! the horizon hides a commit until it ends; and it is below the horizon once the commit and all
//! that began before have ended, even if no other transaction begins. A commit that had to wait for
//! another one's rows takes its place after that one has ended, and its numbers too: its events
//! follow. So the last event of a company has the company as it is stored. Those of a posting are
//! in the order of its versions, also because a commit that finds another version fails.
//!
//! The price is that the log waits for the longest writing transaction on the server, in any
//! database.

mod keep;
mod read;

use async_trait::async_trait;
use kernel::{
    DecisionCode, StoreError,
    event::{
        CompanyState, Cursor, Event, EventLog, LogError, LogPage, LogQuery, PostingState,
        RecordedEvent, Subject,
    },
};
use time::OffsetDateTime;

pub(crate) use self::keep::{is_behind, raise_offset};
use crate::{
    PostgresStore,
    statement::{Value, bigints, rendered, texts, times, uuids},
};

/// The columns of the events that a commit records.
pub(crate) fn columns(events: &[Event]) -> [Value<'_>; 13] {
    [
        times(events, |event| event.at),
        texts(events, |event| Some(event.name.as_str())),
        uuids(events, |event| event.subject.id()),
        texts(events, |event| {
            Some(posting(event)?.source_identifier.as_str())
        }),
        bigints(events, |event| Some(posting(event)?.version)),
        texts(events, |event| Some(posting(event)?.status.as_str())),
        texts(events, |event| posting(event)?.status_reason.as_deref()),
        texts(events, |event| Some(&company(event)?.name)),
        texts(events, |event| Some(company(event)?.website.as_str())),
        texts(events, |event| company(event)?.logo_path.as_deref()),
        rendered(
            events
                .iter()
                .map(|event| company(event)?.updated_by.as_ref()),
        ),
        rendered(events.iter().map(|event| event.trace.as_ref())),
        texts(events, |event| {
            posting(event)?.decision.as_ref().map(DecisionCode::as_str)
        }),
    ]
}

const fn posting(event: &Event) -> Option<&PostingState> {
    match &event.subject {
        Subject::Posting(posting) => Some(posting),
        Subject::Company(_) | Subject::Other(_) => None,
    }
}

const fn company(event: &Event) -> Option<&CompanyState> {
    match &event.subject {
        Subject::Company(company) => Some(company),
        Subject::Posting(_) | Subject::Other(_) => None,
    }
}

#[async_trait]
impl EventLog for PostgresStore {
    async fn read(&self, query: &LogQuery) -> Result<LogPage, LogError> {
        let query = query.clone();
        let page = self
            .connections
            .run(async move |conn| read::page(conn, &query).await)
            .await?;
        page.ok_or(LogError::Gone)
    }

    async fn events_at(&self, cursors: &[Cursor]) -> Result<Vec<RecordedEvent>, StoreError> {
        let cursors = cursors.to_vec();
        self.connections
            .run(async move |conn| read::events_at(conn, &cursors).await)
            .await
    }

    async fn end(&self) -> Result<Cursor, StoreError> {
        self.connections
            .run(async |conn| read::end(conn).await)
            .await
    }

    async fn cursor_at(&self, at: OffsetDateTime) -> Result<Cursor, StoreError> {
        self.connections
            .run(async move |conn| read::cursor_at(conn, at).await)
            .await
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<usize, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .run(async move |conn| keep::forget(conn, before, limit).await)
            .await
    }
}
