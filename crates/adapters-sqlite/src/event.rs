//! The event log, in the table `events`, and the port to it.
//!
//! The file has one writer at a time, so the numbers of events are in the order of the commits, and
//! all events before one that a reader can see are there, too. Reading goes by the numbers alone.

use async_trait::async_trait;
use diesel::{
    SqliteConnection,
    sql_types::{BigInt, Bool, Nullable},
};
use kernel::{
    DecisionCode, StoreError,
    event::{
        Cursor, Event, EventLog, EventName, LogError, LogPage, LogQuery, RecordedEvent, Subject,
    },
};
use sql_common::{
    event::{
        EventColumns, EventRow, MOST_LOOKED_AT, cursor, cursor_values, page, prefixes, well_before,
    },
    event_columns, statement,
    stored::{array_text, numbers_text},
    types::{Moment, Rendered, StoredTime},
};
use time::OffsetDateTime;

use crate::{
    SqliteStore,
    error::Failure,
    statement::{Value, execute, load},
};

/// How many events one transaction deletes: others want to write as well.
const DELETED_AT_ONCE: usize = 1_000;

statement! {
    Record =
    "INSERT INTO events (at, name, subject, source_identifier, version, status, status_reason, \
     decision_code, trace_parent) \
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
}

statement! {
    /// As the company stands, if it is there.
    RecordCompany =
    "INSERT INTO events (at, name, subject, company_name, company_website, company_logo_path, \
     company_updated_by, trace_parent) \
     SELECT ?, ?, sent.id, coalesce(companies.name, sent.name), \
     coalesce(companies.website, sent.website), \
     iif(companies.id IS NULL, sent.logo_path, companies.logo_path), \
     iif(companies.id IS NULL, sent.updated_by, companies.updated_by), sent.trace \
     FROM (SELECT ? AS id, ? AS name, ? AS website, ? AS logo_path, ? AS updated_by, ? AS trace) \
     AS sent \
     LEFT JOIN companies ON companies.id = sent.id"
}

/// Adds an event to the log. One of a company is recorded as the company stands by then.
pub(crate) fn record(conn: &mut SqliteConnection, event: &Event) -> Result<(), Failure> {
    let (at, name) = (event.at.into(), event.name.as_str().into());
    let trace = event.trace.map(|trace| trace.to_string());
    let trace = trace.as_deref().into();
    match &event.subject {
        Subject::Posting(posting) => {
            let decision = posting.decision.as_ref().map(DecisionCode::as_str);
            execute::<Record>(
                conn,
                &[
                    at,
                    name,
                    posting.id.uuid().into(),
                    posting.source_identifier.as_str().into(),
                    posting.version.into(),
                    posting.status.as_str().into(),
                    (&posting.status_reason).into(),
                    decision.into(),
                    trace,
                ],
            )?
        }
        Subject::Company(company) => execute::<RecordCompany>(
            conn,
            &[
                at,
                name,
                company.id.uuid().into(),
                (&company.name).into(),
                company.website.as_str().into(),
                (&company.logo_path).into(),
                Value::Rendered(company.updated_by.as_ref().map(|by| Rendered(by))),
                trace,
            ],
        )?,
        Subject::Other(id) => {
            let none = Value::Text(None);
            let number = Value::Integer(None);
            execute::<Record>(
                conn,
                &[at, name, id.into(), none, number, none, none, none, trace],
            )?
        }
    };
    Ok(())
}

statement! {
    /// The numbers of the last deleted event, and of the last one.
    Ends =
    "SELECT deleted_number, coalesce((SELECT max(number) FROM events), deleted_number) \
     FROM event_log",
    returns (BigInt, BigInt)
}

/// Where the log begins and where it ends.
pub(crate) fn ends(conn: &mut SqliteConnection) -> Result<(i64, i64), Failure> {
    let found: Vec<(i64, i64)> = load::<Ends, _>(conn, &[])?;
    let ends = found.into_iter().next();
    Ok(ends.ok_or_else(|| StoreError::Broken("the table event_log is empty".to_owned()))?)
}

/// The place of an event.
fn place(number: i64) -> Result<Cursor, StoreError> {
    cursor(0, number)
}

/// The number at a place. That of another kind of store is none of this one.
fn number(place: Cursor) -> i64 {
    match cursor_values(place) {
        [0, number] => number,
        _ => i64::MAX,
    }
}

statement! {
    Wanted =
    concat!(
        "WITH prefixes AS MATERIALIZED (SELECT value AS prefix FROM json_each(?)) \
         SELECT ", event_columns!(), " FROM (SELECT 0 AS commit_seq, * FROM events) AS events \
         WHERE number > ? AND number <= ? AND name IN (SELECT value FROM json_each(?)) \
         AND (source_identifier IS NULL OR EXISTS (SELECT 1 FROM prefixes \
         WHERE substr(source_identifier, 1, length(prefix)) = prefix)) \
         ORDER BY number LIMIT ?"
    ),
    returns EventColumns
}

statement! {
    /// Whether an event has a number, and the last event among as many numbers as events may be
    /// looked at, from the first event behind that number on.
    Around =
    "SELECT EXISTS (SELECT 1 FROM events WHERE number = ?), \
     (SELECT max(number) FROM events \
     WHERE number < (SELECT min(number) FROM events WHERE number > ?) + ?)",
    returns (Bool, Nullable<BigInt>)
}

/// A page, or nothing if the log has no event at its cursor any more.
fn read(conn: &mut SqliteConnection, query: &LogQuery) -> Result<Option<LogPage>, Failure> {
    let (deleted, end) = ends(conn)?;
    let after = query.after.map_or(deleted, number);
    let most = i64::try_from(MOST_LOOKED_AT).unwrap_or(i64::MAX);
    let around = [after.into(), after.into(), most.into()];
    let around: Vec<(bool, Option<i64>)> = load::<Around, _>(conn, &around)?;
    let (is_there, last) = around.first().copied().unwrap_or_default();
    if !is_there && after != deleted {
        return Ok(None);
    }
    let last = last.unwrap_or(after);
    let names: Vec<_> = query.names.iter().map(EventName::as_str).collect();
    let names = array_text(&names);
    // One more than asked for tells whether there is more.
    let ahead = i64::try_from(query.limit.saturating_add(1)).unwrap_or(i64::MAX);
    let prefixes = array_text(&prefixes(query));
    let values = [
        prefixes.as_str().into(),
        after.into(),
        last.into(),
        names.as_str().into(),
        ahead.into(),
    ];
    let rows: Vec<EventRow> = load::<Wanted, _>(conn, &values)?;
    Ok(Some(page(rows, query.limit, place(last)?, last < end)?))
}

statement! {
    EventsAt =
    concat!(
        "SELECT ", event_columns!(), " FROM (SELECT 0 AS commit_seq, * FROM events) AS events \
         WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number"
    ),
    returns EventColumns
}

statement! {
    FirstAfter =
    "SELECT number, at FROM events WHERE number > ? AND number <= ? ORDER BY number LIMIT 1",
    returns (BigInt, Moment)
}

statement! {
    /// The last event before the first one that is from a time or later.
    LastBefore =
    "SELECT max(number) FROM events WHERE number < coalesce(\
     (SELECT number FROM events WHERE number > ? AND at >= ? ORDER BY number LIMIT 1), ? + 1)",
    returns (Nullable<BigInt>,)
}

/// The place that all events since a time follow. There is no index on time, and there need not
/// be: times ascend with the log, nearly. The last event that is old for certain is found by
/// halves, and from there on events are looked at one by one, for as long as they may be in
/// disorder.
fn cursor_at(conn: &mut SqliteConnection, at: OffsetDateTime) -> Result<Cursor, Failure> {
    let well_before = StoredTime::from(well_before(at));
    let (deleted, end) = ends(conn)?;
    // Everything up to `old` is older, everything after `young` is not.
    let (mut old, mut young) = (deleted, end);
    while old < young {
        let middle = old + (young - old) / 2;
        let found: Vec<(i64, StoredTime)> =
            load::<FirstAfter, _>(conn, &[middle.into(), young.into()])?;
        match found.first() {
            Some((number, at)) if *at < well_before => old = *number,
            _ => young = middle,
        }
    }
    let values = [old.into(), at.into(), end.into()];
    let last: Vec<(Option<i64>,)> = load::<LastBefore, _>(conn, &values)?;
    let last = last.first().and_then(|(number,)| *number);
    Ok(place(last.unwrap_or(deleted))?)
}

statement! {
    Oldest = "SELECT number, at FROM events ORDER BY number LIMIT ?",
    returns (BigInt, Moment)
}

statement! {
    Delete = "DELETE FROM events WHERE number <= ?"
}

statement! {
    MoveDeleted = "UPDATE event_log SET deleted_number = max(deleted_number, ?)"
}

/// The number of the last of some events at the beginning that are all from before a time, and how
/// many they are.
fn oldest(
    conn: &mut SqliteConnection,
    before: StoredTime,
    at_most: usize,
) -> Result<Option<(i64, usize)>, Failure> {
    let limit = i64::try_from(at_most).unwrap_or(i64::MAX);
    let found: Vec<(i64, StoredTime)> = load::<Oldest, _>(conn, &[limit.into()])?;
    let old = found.iter().take_while(|(_, at)| *at < before);
    let numbered = old.map(|(number, _)| *number).zip(1..);
    Ok(numbered.last())
}

/// Deletes events up to a number, and counts them. Events do not change and new ones come last, so
/// events that were found old may be deleted in a later transaction.
fn delete(conn: &mut SqliteConnection, last: i64) -> Result<usize, Failure> {
    let deleted = execute::<Delete>(conn, &[last.into()])?;
    execute::<MoveDeleted>(conn, &[last.into()])?;
    Ok(deleted)
}

#[async_trait]
impl EventLog for SqliteStore {
    async fn read(&self, query: &LogQuery) -> Result<LogPage, LogError> {
        let query = query.clone();
        let page = self.connections.read(move |conn| read(conn, &query)).await;
        page?.ok_or(LogError::Gone)
    }

    async fn events_at(&self, cursors: &[Cursor]) -> Result<Vec<RecordedEvent>, StoreError> {
        let numbers: Vec<_> = cursors.iter().copied().map(number).collect();
        self.connections
            .read(move |conn| {
                let numbers = numbers_text(&numbers);
                let rows: Vec<EventRow> = load::<EventsAt, _>(conn, &[numbers.as_str().into()])?;
                let events = rows.into_iter().map(RecordedEvent::try_from);
                Ok(events.collect::<Result<_, _>>()?)
            })
            .await
    }

    async fn end(&self) -> Result<Cursor, StoreError> {
        self.connections
            .read(|conn| {
                let (_, end) = ends(conn)?;
                Ok(place(end)?)
            })
            .await
    }

    async fn cursor_at(&self, at: OffsetDateTime) -> Result<Cursor, StoreError> {
        self.connections.read(move |conn| cursor_at(conn, at)).await
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<usize, StoreError> {
        let mut deleted = 0;
        while deleted < limit {
            let at_most = DELETED_AT_ONCE.min(limit - deleted);
            // Mostly there is nothing to delete, and then the write lock is not taken.
            let old = move |conn: &mut _| oldest(conn, before.into(), at_most);
            let Some((last, found)) = self.connections.read(old).await? else {
                break;
            };
            let delete = move |conn: &mut _| delete(conn, last);
            deleted += self.connections.write(delete).await?;
            if found < at_most {
                break;
            }
        }
        Ok(deleted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::assert_uses_key};

    #[tokio::test]
    async fn events_are_found_by_their_numbers() {
        for query in [
            Around::text(),
            Wanted::text(),
            FirstAfter::text(),
            LastBefore::text(),
            Delete::text(),
        ] {
            assert_uses_key(query, "events").await;
        }
    }
}
