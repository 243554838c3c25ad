//! The event log, in the table `events`, and the port to it.
//!
//! The log is in the order of (`commit_seq`, `number`): the *place* of the commit, and a number
//! from a sequence. A transaction gets its id at its first write, not at its commit, so a later
//! transaction may commit first. Readers therefore see only events below the *horizon*. The horizon
//! is the id of the oldest transaction that is still running, in the snapshot of the reader's
//! statement. All transactions below the horizon have ended: they are visible or undone. So no
//! event is ever added before a reader's cursor, and no row needs a new number later.
//!
//! The place is the greater of two ids: the transaction's own id, and the greatest id of the
//! transactions that had ended when the commit had locked all its rows. The place is never below
//! the own id, so the horizon hides a commit until it ends. When the commit and all earlier
//! transactions have ended, the place is below the horizon, even if no other transaction begins.
//!
//! If a commit waits for the rows of another commit, it takes its place and numbers after the other
//! has ended, so its events come later. The last event of a company therefore shows the company as
//! stored. A posting's events are in the order of its versions. The reason is that a commit fails
//! if it finds another version than it read.
//!
//! A disadvantage: the log waits for the longest writing transaction of any database on the server.

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
