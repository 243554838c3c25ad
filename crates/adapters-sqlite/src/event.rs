//! The event log, in the table `events`.
//!
//! The file has one writer at a time. So events are numbered in the order of commits, and all
//! events before a visible event are visible. Readers only need the numbers.

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Bool, Nullable};
use kernel::{
    CompanyId, StoreError,
    event::{Cursor, EventLog, EventName, LogError, LogPage, LogQuery, RecordedEvent},
};
use sql_common::{
    binds, each,
    event::{
        MOST_LOOKED_AT, PlacedColumns, cursor, cursor_values, page, prefixes, recorded, well_before,
    },
    executor::{Executor, Outcome},
    statement,
    stored::{array_text, most},
    types::{Id, Moment, StoredTime},
};
use time::OffsetDateTime;

use crate::SqliteStore;

/// How many events a transaction deletes, so that others can write in between.
const DELETED_AT_ONCE: usize = 1_000;

statement! {
    Ends = r"
        SELECT deleted_number, coalesce((SELECT max(number) FROM events), deleted_number)
        FROM event_log",
    returns (BigInt, BigInt)
}

pub(crate) async fn ends(conn: &mut impl Executor) -> Outcome<(i64, i64)> {
    let found = conn.load::<Ends>(&[]).await?;
    let ends = found.into_iter().next();
    Ok(ends.ok_or_else(|| StoreError::Broken("the table event_log is empty".to_owned()))?)
}

fn place(number: i64) -> Result<Cursor, StoreError> {
    cursor(0, number)
}

fn number(place: Cursor) -> i64 {
    match cursor_values(place) {
        [0, number] => number,
        _ => i64::MAX,
    }
}

statement! {
    Wanted = r"
        WITH prefixes AS MATERIALIZED (SELECT value AS prefix FROM json_each(:prefixes))
        SELECT 0, number, {events} FROM events
        WHERE number > :after AND number <= :last
            AND name IN (SELECT value FROM json_each(:names))
            AND (source_identifier IS NULL OR EXISTS (
                SELECT 1 FROM prefixes
                WHERE substr(source_identifier, 1, length(prefix)) = prefix
            ))
        ORDER BY number LIMIT :limit",
    returns PlacedColumns;

    /// Whether an event with the number exists, and the number of the last event to examine.
    Around = r"
        SELECT EXISTS (SELECT 1 FROM events WHERE number = :after), (
            SELECT max(number) FROM events
            WHERE number < (SELECT min(number) FROM events WHERE number > :after) + :most
        )",
    returns (Bool, Nullable<BigInt>)
}

/// Returns a page. `None` if the cursor's event is gone.
async fn read(conn: &mut impl Executor, query: &LogQuery) -> Outcome<Option<LogPage>> {
    let (deleted, end) = ends(conn).await?;
    let after = query.after.map_or(deleted, number);
    let around = binds! { after, most: most(MOST_LOOKED_AT) };
    let around = conn.load::<Around>(around).await?;
    let (is_there, last) = around.first().copied().unwrap_or_default();
    if !is_there && after != deleted {
        return Ok(None);
    }
    let last = last.unwrap_or(after);
    let names: Vec<_> = query.names.iter().map(EventName::as_str).collect();
    let (prefixes, names) = (array_text(&prefixes(query)), array_text(&names));
    // One more event than the limit, to see whether there are more.
    let limit = most(query.limit.saturating_add(1));
    let asked = binds! { prefixes: &prefixes, after, last, names: &names, limit };
    let rows = conn.load::<Wanted>(asked).await?;
    Ok(Some(page(rows, query, place(last)?, last < end)?))
}

statement! {
    EventsAt = "SELECT 0, number, {events} FROM events WHERE number = :number",
    returns PlacedColumns;

    NewestOf = r"
        SELECT subject, number FROM events
        WHERE subject = :company AND company_name IS NOT NULL
        ORDER BY number DESC LIMIT 1",
    returns (Id, BigInt);

    FirstAfter = r"
        SELECT number, at FROM events WHERE number > :after AND number <= :last
        ORDER BY number LIMIT 1",
    returns (BigInt, Moment);

    /// The number of the last event before the first event that is not before `at`.
    LastBefore = r"
        SELECT max(number) FROM events WHERE number < coalesce(
            (SELECT number FROM events WHERE number > :after AND at >= :at
                ORDER BY number LIMIT 1),
            :last + 1
        )",
    returns (Nullable<BigInt>,)
}

/// Returns the place after which all events since a time come. No index on time is needed, because
/// times nearly ascend with the log. A bisection finds the last event that is certainly old. After
/// it, events are examined one by one.
async fn cursor_at(conn: &mut impl Executor, at: OffsetDateTime) -> Outcome<Cursor> {
    let well_before = StoredTime::from(well_before(at));
    let (deleted, end) = ends(conn).await?;
    // All events up to `old` are certainly old, and no event after `young` is.
    let (mut old, mut young) = (deleted, end);
    while old < young {
        let middle = old + (young - old) / 2;
        let between = binds! { after: middle, last: young };
        let found = conn.load::<FirstAfter>(between).await?;
        match found.first() {
            Some((number, at)) if *at < well_before => old = *number,
            _ => young = middle,
        }
    }
    let asked = binds! { after: old, at, last: end };
    let last = conn.load::<LastBefore>(asked).await?;
    let last = last.first().and_then(|(number,)| *number);
    Ok(place(last.unwrap_or(deleted))?)
}

statement! {
    Oldest = "SELECT number, at FROM events ORDER BY number LIMIT :limit",
    returns (BigInt, Moment);

    Delete = "DELETE FROM events WHERE number <= :last";
    MoveDeleted = "UPDATE event_log SET deleted_number = max(deleted_number, :last)"
}

/// Finds the oldest events before a time. Returns the number of the last event, and their count.
async fn oldest(
    conn: &mut impl Executor,
    before: StoredTime,
    at_most: usize,
) -> Outcome<Option<(i64, usize)>> {
    let asked = binds! { limit: most(at_most) };
    let found = conn.load::<Oldest>(asked).await?;
    let old = found.iter().take_while(|(_, at)| *at < before);
    let numbered = old.map(|(number, _)| *number).zip(1..);
    Ok(numbered.last())
}

/// Deletes events up to a number, and returns how many. The time of an event never changes, and new
/// events come last. So old events can be found in one transaction and deleted in a later one.
async fn delete(conn: &mut impl Executor, last: i64) -> Outcome<usize> {
    let last = binds! { last };
    let deleted = conn.execute::<Delete>(last).await?;
    conn.execute::<MoveDeleted>(last).await?;
    Ok(deleted)
}

#[async_trait]
impl EventLog for SqliteStore {
    async fn read(&self, query: &LogQuery) -> Result<LogPage, LogError> {
        let query = query.clone();
        let page = self.query(async move |conn| read(conn, &query).await);
        page.await?.ok_or(LogError::Gone)
    }

    async fn events_at(&self, cursors: &[Cursor]) -> Result<Vec<RecordedEvent>, StoreError> {
        let numbers: BTreeSet<_> = cursors.iter().copied().map(number).collect();
        self.query(async move |conn| {
            let numbers = each! { numbers, number => number };
            let rows = conn.load_each::<EventsAt>(&numbers, &[]).await?;
            Ok(rows.into_iter().map(recorded).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn newest_of(
        &self,
        companies: &[CompanyId],
    ) -> Result<HashMap<CompanyId, Cursor>, StoreError> {
        let companies = each! { companies, company => company: company.uuid() };
        self.query(async move |conn| {
            let rows = conn.load_each::<NewestOf>(&companies, &[]).await?;
            let newest = rows.into_iter().map(|(company, number)| {
                Ok((
                    CompanyId::new(company.uuid("events.subject")?),
                    place(number)?,
                ))
            });
            Ok(newest.collect::<Result<_, StoreError>>()?)
        })
        .await
    }

    async fn end(&self) -> Result<Cursor, StoreError> {
        self.query(async |conn| Ok(place(ends(conn).await?.1)?))
            .await
    }

    async fn cursor_at(&self, at: OffsetDateTime) -> Result<Cursor, StoreError> {
        self.query(async move |conn| cursor_at(conn, at).await)
            .await
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<usize, StoreError> {
        let mut deleted = 0;
        while deleted < limit {
            let at_most = DELETED_AT_ONCE.min(limit - deleted);
            // This query only reads. Usually it finds no old event, and no write lock is taken.
            let old = self.query(async move |conn| oldest(conn, before.into(), at_most).await);
            let Some((last, found)) = old.await? else {
                break;
            };
            deleted += self
                .transaction(async move |conn| delete(conn, last).await)
                .await?;
            if found < at_most {
                break;
            }
        }
        Ok(deleted)
    }
}
