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
