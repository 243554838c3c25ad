#![expect(
    clippy::needless_question_mark,
    reason = "`?` converts the failure of shared work, which here is the store's own"
)]

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
