//! Events that wait for another attempt, or behind one that does.

use diesel::{
    Queryable,
    sql_types::{BigInt, Bool, Nullable, Text},
};
use kernel::{
    StoreError,
    event::{Cursor, EventName},
};
use time::OffsetDateTime;
use webhooks::{EndpointId, WaitingEvent};

use super::most;
use crate::{
    event::{cursor_in, cursor_values},
    statement,
    stored::count,
    types::{Count, Id, Moment, StoredId, StoredTime, optional_time},
    value::Value,
};

/// The columns of a [`WaitingRow`].
macro_rules! waiting_columns {
    () => {
        "commit_seq, number, name, subject, attempts, next_at, last_error, is_silent"
    };
}

/// The SQL types of a [`WaitingRow`].
pub type WaitingColumns = (
    BigInt,
    BigInt,
    Text,
    Id,
    Count,
    Nullable<Moment>,
    Nullable<Text>,
    Bool,
);

/// An event that waits.
#[derive(Clone, Debug, Queryable)]
pub struct WaitingRow {
    commit_seq: i64,
    number: i64,
    name: String,
    subject: StoredId,
    attempts: i64,
    next_at: Option<StoredTime>,
    last_error: Option<String>,
    is_silent: bool,
}

impl TryFrom<WaitingRow> for WaitingEvent {
    type Error = StoreError;

    fn try_from(row: WaitingRow) -> Result<Self, StoreError> {
        Ok(Self {
            cursor: cursor_in("webhook_waiting", row.commit_seq, row.number)?,
            name: EventName::from_store(row.name),
            subject: row.subject.uuid("webhook_waiting.subject")?,
            attempts: count(row.attempts, "webhook_waiting.attempts")?,
            next_at: optional_time(row.next_at, "webhook_waiting.next_at")?,
            last_error: row.last_error,
            is_silent: row.is_silent,
        })
    }
}

statement! {
    pub Due = concat!(
        "SELECT ", waiting_columns!(), " FROM webhook_waiting \
         WHERE endpoint = ? AND next_at <= ? ORDER BY next_at, commit_seq, number LIMIT ?"
    ),
    returns WaitingColumns
}

/// The values of [`Due`].
pub fn due_values(endpoint: EndpointId, now: OffsetDateTime, limit: usize) -> [Value<'static>; 3] {
    [endpoint.uuid().into(), now.into(), most(limit).into()]
}

statement! {
    pub CountWaiting =
    "SELECT count(*) FROM (SELECT 1 AS one FROM webhook_waiting WHERE endpoint = ? LIMIT ?) \
     AS counted",
    returns (BigInt,)
}

/// The values of [`CountWaiting`].
pub fn count_waiting_values(endpoint: EndpointId, limit: usize) -> [Value<'static>; 2] {
    [endpoint.uuid().into(), most(limit).into()]
}

/// A count of waiting events.
pub fn count_of(rows: &[(i64,)]) -> usize {
    let count = rows.first().map_or(0, |(count,)| *count);
    usize::try_from(count).unwrap_or_default()
}

statement! {
    /// Makes no next attempt due later than at a time.
    pub Hurry = "UPDATE webhook_waiting SET next_at = ? WHERE endpoint = ? AND next_at > ?"
}

/// The values of [`Hurry`].
pub fn hurry_values(endpoint: EndpointId, at: OffsetDateTime) -> [Value<'static>; 3] {
    [at.into(), endpoint.uuid().into(), at.into()]
}

statement! {
    /// Drops waiting events behind a place.
    pub DropBehind =
    "DELETE FROM webhook_waiting WHERE endpoint = ? AND (commit_seq, number) > (?, ?)"
}

/// The values of [`DropBehind`].
pub fn drop_behind_values(endpoint: EndpointId, to: Cursor) -> [Value<'static>; 3] {
    let [commit_seq, number] = cursor_values(to).map(Value::from);
    [endpoint.uuid().into(), commit_seq, number]
}
