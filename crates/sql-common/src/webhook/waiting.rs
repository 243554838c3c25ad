//! Events that wait for another attempt, or behind one that does.

use std::{collections::HashSet, hash::BuildHasher};

use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use kernel::{StoreError, event::EventName};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{EndpointId, WaitingEvent};

use crate::{
    binds, each, entity,
    event::{cursor_in, cursor_values},
    executor::{Executor, Outcome, counted, values},
    statement,
    stored::{count, most},
    types::{Count, Id, Moment, StoredId, optional_time},
};

entity! {
    /// An event that waits.
    WaitingRow = webhook_waiting of WaitingEvent {
        fixed {
            commit_seq: BigInt = Integer(|event| Some(cursor_values(event.cursor)[0])),
            number: BigInt = Integer(|event| Some(cursor_values(event.cursor)[1])),
        }
        changing {
            name: Text = Text(|event| Some(event.name.as_str())),
            subject: Id = Id(|event| Some(event.subject)),
            attempts: Count = Integer(|event| Some(event.attempts.into())),
            next_at: Nullable<Moment> = Time(|event| event.next_at),
            last_error: Nullable<Text> = Text(|event| event.last_error.as_deref()),
            is_silent: Bool = Bool(|event| event.is_silent),
        }
    }
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
    Due = r"
        SELECT {webhook_waiting} FROM webhook_waiting WHERE endpoint = :endpoint AND next_at <= :now
        ORDER BY next_at, commit_seq, number LIMIT :limit",
    loads WaitingRow
}

/// Waiting events whose next attempt is due.
pub async fn due(
    conn: &mut impl Executor,
    endpoint: EndpointId,
    now: OffsetDateTime,
    limit: usize,
) -> Outcome<Vec<WaitingEvent>> {
    let asked = binds! { endpoint: endpoint.uuid(), now, limit: most(limit) };
    values(conn.load::<Due, WaitingRow>(asked).await?)
}

statement! {
    /// Looks each subject up, for one of them may have many events.
    WaitingAmong = {
        postgres: r"
            SELECT asked.subject FROM unnest(:subject::uuid[]) AS asked (subject) CROSS JOIN LATERAL (
                SELECT FROM webhook_waiting AS waiting
                WHERE waiting.endpoint = :endpoint AND waiting.subject = asked.subject LIMIT 1
            ) AS found",
        sqlite: r"
            SELECT subject FROM webhook_waiting
            WHERE endpoint = :endpoint AND subject = :subject LIMIT 1",
    },
    returns (Id,)
}

/// The subjects among these of which an event waits.
pub async fn waiting_among(
    conn: &mut impl Executor,
    endpoint: EndpointId,
    subjects: &HashSet<Uuid, impl BuildHasher + Sync>,
) -> Outcome<HashSet<Uuid>> {
    let asked = each! { subjects, subject => subject };
    let endpoint = binds! { endpoint: endpoint.uuid() };
    let rows: Vec<(StoredId,)> = conn.load_each::<WaitingAmong, _>(&asked, endpoint).await?;
    let subjects = rows
        .into_iter()
        .map(|(id,)| id.uuid("webhook_waiting.subject"));
    Ok(subjects.collect::<Result<_, _>>()?)
}

statement! {
    CountWaiting = r"
        SELECT count(*) FROM (
            SELECT 1 AS one FROM webhook_waiting WHERE endpoint = :endpoint LIMIT :limit
        ) AS counted",
    returns (BigInt,)
}

/// The number of events that wait, counted up to a limit.
pub async fn count_waiting(
    conn: &mut impl Executor,
    endpoint: EndpointId,
    limit: usize,
) -> Outcome<usize> {
    let asked = binds! { endpoint: endpoint.uuid(), limit: most(limit) };
    let rows: Vec<(i64,)> = conn.load::<CountWaiting, _>(asked).await?;
    Ok(counted(&rows))
}
