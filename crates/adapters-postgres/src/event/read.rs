//! Reads the log: pages, its end, and the place of a time.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Bool, Nullable};
use diesel_async::AsyncPgConnection;
use kernel::{
    CompanyId, StoreError,
    event::{Cursor, EventName, LogPage, LogQuery, RecordedEvent},
};
use sql_common::{
    binds, each,
    event::{
        MOST_LOOKED_AT, PlacedColumns, cursor, cursor_values, page as of, prefixes, recorded,
        well_before,
    },
    executor::{Executor as _, Outcome},
    horizon, statement,
    stored::{array_text, most},
    types::Id,
};
use time::OffsetDateTime;

macro_rules! ahead {
    () => {
        "(commit_seq, number) > ((SELECT commit_seq FROM place), (SELECT number FROM place))
                    AND commit_seq < (SELECT horizon FROM place)"
    };
}

statement! {
    /// Returns whether the cursor is gone, whether `most` events were examined, the place of the
    /// last examined event, and a wanted event. A cursor is gone if there is no event at its place,
    /// unless it is the place of the last deleted event. On a standby, a missing event may also be
    /// too new.
    ///
    /// Examines events in the order of keys, at most `most`. Stops when it finds one more wanted
    /// event than fit on the page. Otherwise also returns the last examined event.
    Page = concat!(
        "WITH place AS MATERIALIZED (
            SELECT coalesce(asked.commit_seq, deleted_in) AS commit_seq,
                coalesce(asked.number, deleted_number) AS number,
                there.number IS NULL AND CASE WHEN pg_is_in_recovery()
                    THEN (asked.commit_seq, asked.number) < (deleted_in, deleted_number)
                    ELSE (asked.commit_seq, asked.number) <> (deleted_in, deleted_number)
                    END AS is_gone, ",
                horizon!(), " AS horizon
            FROM event_log
            CROSS JOIN (SELECT :commit_seq::bigint AS commit_seq, :number::bigint AS number)
                AS asked
            LEFT JOIN events AS there
                ON there.commit_seq = asked.commit_seq AND there.number = asked.number
            WHERE singleton
        ),
        wanted AS MATERIALIZED (
            SELECT * FROM (
                SELECT commit_seq, number, {events} FROM events
                WHERE ", ahead!(), "
                ORDER BY commit_seq, number LIMIT :most
            ) AS looked_at
            WHERE name = ANY(ARRAY(SELECT json_array_elements_text(:names::json)))
                AND (source_identifier IS NULL OR source_identifier
                    ^@ ANY(ARRAY(SELECT json_array_elements_text(:prefixes::json))))
            LIMIT :limit
        ),
        is_short AS MATERIALIZED (SELECT count(*) < :limit AS yes FROM wanted),
        most AS MATERIALIZED (
            SELECT commit_seq, number FROM events
            WHERE (SELECT yes FROM is_short) AND ", ahead!(), "
            ORDER BY commit_seq, number OFFSET :most - 1 LIMIT 1
        ),
        last AS MATERIALIZED (
            SELECT commit_seq, number FROM events
            WHERE (SELECT yes FROM is_short) AND NOT EXISTS (SELECT FROM most)
                AND ", ahead!(), "
            ORDER BY commit_seq DESC, number DESC LIMIT 1
        )
        SELECT coalesce(place.is_gone, false), most.number IS NOT NULL,
            coalesce(most.commit_seq, last.commit_seq, place.commit_seq),
            coalesce(most.number, last.number, place.number), wanted.*
        FROM place LEFT JOIN most ON true LEFT JOIN last ON true LEFT JOIN wanted ON true"
    ),
    returns (Bool, Bool, BigInt, BigInt, Nullable<PlacedColumns>)
}

/// Returns a page. `None` if the cursor's event is gone.
pub(super) async fn page(
    conn: &mut AsyncPgConnection,
    query: &LogQuery,
) -> Outcome<Option<LogPage>> {
    let [commit_seq, number] = match query.after {
        Some(after) => cursor_values(after).map(Some),
        None => [None, None],
    };
    let names: Vec<_> = query.names.iter().map(EventName::as_str).collect();
    let (names, prefixes) = (array_text(&names), array_text(&prefixes(query)));
    let asked = binds! {
        commit_seq,
        number,
        most: most(MOST_LOOKED_AT),
        names: &names,
        prefixes: &prefixes,
        limit: most(query.limit.saturating_add(1)),
    };
    let rows = conn.load::<Page>(asked).await?;
    let (is_gone, is_full, commit_seq, number, _) = *rows.first().ok_or_else(no_log)?;
    if is_gone {
        return Ok(None);
    }
    let last = cursor(commit_seq, number)?;
    let wanted = rows.into_iter().filter_map(|(.., event)| event).collect();
    Ok(Some(of(wanted, query, last, is_full)?))
}

fn no_log() -> StoreError {
    StoreError::Broken("the table event_log is empty".to_owned())
}

statement! {
    EventsAt = r"
        SELECT commit_seq, number, {events} FROM events
        WHERE (commit_seq, number)
            IN (SELECT * FROM unnest(:commit_seq::bigint[], :number::bigint[]))
        ORDER BY commit_seq, number",
    returns PlacedColumns
}

/// Returns the events at these places. The caller has read them before, so no horizon is needed.
pub(super) async fn events_at(
    conn: &mut AsyncPgConnection,
    cursors: &[Cursor],
) -> Outcome<Vec<RecordedEvent>> {
    let cursors = cursors.iter().copied().map(cursor_values);
    let cursors = each! { cursors, [commit_seq, number] => commit_seq, number };
    let rows = conn.load_each::<EventsAt>(&cursors, &[]).await?;
    Ok(rows.into_iter().map(recorded).collect::<Result<_, _>>()?)
}

statement! {
    /// Events that this version cannot read count as well.
    NewestOf = r"
        SELECT company, newest.commit_seq, newest.number
        FROM unnest(:company::uuid[]) AS asked (company)
        CROSS JOIN LATERAL (
            SELECT commit_seq, number FROM events
            WHERE subject = company AND company_name IS NOT NULL
            ORDER BY commit_seq DESC, number DESC LIMIT 1
        ) AS newest",
    returns (Id, BigInt, BigInt)
}

pub(super) async fn newest_of(
    conn: &mut AsyncPgConnection,
    companies: &[CompanyId],
) -> Outcome<HashMap<CompanyId, Cursor>> {
    let companies = each! { companies, company => company: company.uuid() };
    let rows = conn.load_each::<NewestOf>(&companies, &[]).await?;
    let newest = rows.into_iter().map(|(company, commit_seq, number)| {
        let company = CompanyId::new(company.uuid("events.subject")?);
        Ok((company, cursor(commit_seq, number)?))
    });
    Ok(newest.collect::<Result<_, StoreError>>()?)
}

statement! {
    End = concat!(
        "SELECT coalesce(last.commit_seq, deleted_in), coalesce(last.number, deleted_number)
        FROM (
            SELECT deleted_in, deleted_number, ", horizon!(), " AS horizon
            FROM event_log WHERE singleton
        ) AS place
        LEFT JOIN LATERAL (
            SELECT commit_seq, number FROM events WHERE commit_seq < horizon
            ORDER BY commit_seq DESC, number DESC LIMIT 1
        ) AS last ON true"
    ),
    returns (BigInt, BigInt)
}

pub(super) async fn end(conn: &mut AsyncPgConnection) -> Outcome<Cursor> {
    one(conn.load::<End>(&[]).await?)
}

fn one(places: Vec<(i64, i64)>) -> Outcome<Cursor> {
    let (commit_seq, number) = places.into_iter().next().ok_or_else(no_log)?;
    Ok(cursor(commit_seq, number)?)
}

statement! {
    /// No index on time is needed, because times nearly ascend with the log. A bisection over
    /// transaction ids finds the first place before which all events are certainly old. Each step
    /// is one index lookup. From this place, events are examined one by one.
    CursorAt = concat!(
        "WITH RECURSIVE asked AS MATERIALIZED (
            SELECT :at::timestamptz AS at, :well_before::timestamptz AS well_before
        ),
        place AS MATERIALIZED (
            SELECT deleted_in, deleted_number, ", horizon!(), " AS horizon
            FROM event_log WHERE singleton
        ),
        bisected (low, high) AS (
            SELECT deleted_in, horizon FROM place
            UNION ALL
            SELECT CASE WHEN probe.is_old THEN probe.commit_seq + 1 ELSE low END,
                CASE WHEN probe.is_old THEN high ELSE middle END
            FROM bisected
            CROSS JOIN LATERAL (SELECT low + (high - low) / 2 AS middle) AS half
            LEFT JOIN LATERAL (
                SELECT commit_seq, at < (SELECT well_before FROM asked) AS is_old FROM events
                WHERE commit_seq >= middle AND commit_seq < high
                ORDER BY commit_seq, number LIMIT 1
            ) AS probe ON true
            WHERE low < high
        ),
        start AS MATERIALIZED (
            SELECT coalesce(
                (
                    SELECT commit_seq FROM events WHERE commit_seq < bound.low
                    ORDER BY commit_seq DESC, number DESC LIMIT 1
                ),
                bound.low
            ) AS commit_seq
            FROM bisected AS bound WHERE low >= high
        ),
        first AS MATERIALIZED (
            SELECT commit_seq, number FROM events
            WHERE commit_seq >= (SELECT commit_seq FROM start)
                AND commit_seq < (SELECT horizon FROM place) AND at >= (SELECT at FROM asked)
            ORDER BY commit_seq, number LIMIT 1
        )
        SELECT coalesce(older.commit_seq, deleted_in), coalesce(older.number, deleted_number)
        FROM place LEFT JOIN LATERAL (
            SELECT commit_seq, number FROM events
            WHERE (commit_seq, number) < (
                coalesce((SELECT commit_seq FROM first), horizon),
                coalesce((SELECT number FROM first), 0)
            )
            ORDER BY commit_seq DESC, number DESC LIMIT 1
        ) AS older ON true"
    ),
    returns (BigInt, BigInt)
}

/// Returns the place after which all events since a time come.
pub(super) async fn cursor_at(conn: &mut AsyncPgConnection, at: OffsetDateTime) -> Outcome<Cursor> {
    let asked = binds! { at, well_before: well_before(at) };
    one(conn.load::<CursorAt>(asked).await?)
}
