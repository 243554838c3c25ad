//! The event log, in the table `events`, and the port to it.
//!
//! The log is in the order of (`commit_seq`, `number`): the *place* of the commit, and a number
//! from a sequence. A transaction gets its id at its first write, not at its commit, so a later one
//! may commit first. A reader therefore sees only events below the *horizon*: the id of the oldest
//! transaction that is still running, in the snapshot of the reader's own statement. Transactions
//! below it have ended: they are visible or undone. So the log never grows behind a cursor, and no
//! row has to be numbered later.
//!
//! The place is the greater of two ids: the transaction's own, and the greatest of those that had
//! ended when the commit had locked all its rows. It is never below the own id, so the horizon
//! hides a commit until it ends. It is below the horizon once the commit and all earlier
//! transactions have ended, even if no other begins.
//!
//! A commit that waited for another one's rows takes its place and numbers after that one has
//! ended, so its events follow. The last event of a company therefore shows the company as stored.
//! The events of a posting are in the order of its versions, also because a commit that finds
//! another version fails.
//!
//! The price: the log waits for the longest writing transaction on the server, in any database.

mod keep;
mod read;

use std::collections::HashMap;

use kernel::{
    CompanyId, StoreError,
    event::{Cursor, EventLog, LogError, LogPage, LogQuery, RecordedEvent},
};
use time::OffsetDateTime;

pub(crate) use self::keep::{is_behind, raise_offset};
use crate::PostgresStore;

sql_common::port! {
    impl EventLog for PostgresStore {
        query read::events_at(cursors: &[Cursor]) -> Vec<RecordedEvent>;
        query read::newest_of(companies: &[CompanyId]) -> HashMap<CompanyId, Cursor>;
        query read::end() -> Cursor;
        query read::cursor_at(at: OffsetDateTime) -> Cursor;
        repeatable keep::forget(before: OffsetDateTime, limit: usize) -> usize;
        also {
            async fn read(&self, query: &LogQuery) -> Result<LogPage, LogError> {
                let query = query.clone();
                let page = self.query(async move |conn| read::page(conn, &query).await);
                page.await?.ok_or(LogError::Gone)
            }
        }
    }
}
