//! Rounds of deliveries: the due events, and the result.

use std::collections::HashSet;

use diesel::{SqliteConnection, sql_types::BigInt};
use kernel::event::Cursor;
use sql_common::{
    event::cursor_values,
    types::{Id, StoredId},
    webhook::{
        CountWaiting, Deliveries, DeliveryRow, Due, WaitingRow, attempts, count_of,
        count_waiting_values, deliveries_kept, deliveries_values, due_values, health_values,
        kept_deliveries, milliseconds,
    },
};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{
    DeliveryRecord, EndpointId, EndpointWrite, Recorded, Round, TrackedEndpoint, WaitingEvent,
};

use super::endpoint::{find, update};
use crate::{
    error::Failure,
    statement::{Value, execute, load, statement},
};

/// Waiting events whose next attempt is due.
pub(super) fn due(
    conn: &mut SqliteConnection,
    endpoint: EndpointId,
    now: OffsetDateTime,
    limit: usize,
) -> Result<Vec<WaitingEvent>, Failure> {
    let rows: Vec<WaitingRow> = load::<Due, _>(conn, &due_values(endpoint, now, limit))?;
    let due = rows.into_iter().map(WaitingEvent::try_from);
    Ok(due.collect::<Result<_, _>>()?)
}

statement! {
    IsWaiting = "SELECT 1 FROM webhook_waiting WHERE endpoint = ? AND subject = ? LIMIT 1",
    returns (BigInt,)
}

/// The subjects among these of which an event waits.
pub(super) fn waiting_among(
    conn: &mut SqliteConnection,
    endpoint: EndpointId,
    subjects: HashSet<Uuid>,
) -> Result<HashSet<Uuid>, Failure> {
    let mut waiting = HashSet::new();
    for subject in subjects {
        let values = [endpoint.uuid().into(), subject.into()];
        let found: Vec<(i64,)> = load::<IsWaiting, _>(conn, &values)?;
        if !found.is_empty() {
            waiting.insert(subject);
        }
    }
    Ok(waiting)
}

/// The number of events that wait, counted up to a limit.
pub(super) fn count_waiting(
    conn: &mut SqliteConnection,
    endpoint: EndpointId,
    limit: usize,
) -> Result<usize, Failure> {
    let values = count_waiting_values(endpoint, limit);
    Ok(count_of(&load::<CountWaiting, _>(conn, &values)?))
}

/// The newest kept deliveries.
pub(super) fn deliveries(
    conn: &mut SqliteConnection,
    endpoint: EndpointId,
    limit: usize,
) -> Result<Vec<DeliveryRecord>, Failure> {
    let rows: Vec<DeliveryRow> = load::<Deliveries, _>(conn, &deliveries_values(endpoint, limit))?;
    let deliveries = rows.into_iter().map(DeliveryRecord::try_from);
    Ok(deliveries.collect::<Result<_, _>>()?)
}

statement! {
    /// The version, and the number of attempts so far.
    Held =
    "SELECT version, attempts FROM webhook_endpoints \
     WHERE id = ? AND holder = ? AND commit_seq = ? AND number = ?",
    returns (BigInt, BigInt)
}

statement! {
    Wait =
    "INSERT INTO webhook_waiting \
     (endpoint, commit_seq, number, name, subject, attempts, next_at, last_error, is_silent) \
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) \
     ON CONFLICT (endpoint, commit_seq, number) DO UPDATE SET \
     name = excluded.name, subject = excluded.subject, attempts = excluded.attempts, \
     next_at = excluded.next_at, last_error = excluded.last_error, is_silent = excluded.is_silent"
}

statement! {
    Settle =
    "DELETE FROM webhook_waiting WHERE endpoint = ? AND commit_seq = ? AND number = ? \
     RETURNING subject",
    returns (Id,)
}

statement! {
    /// Makes the oldest event of a subject due.
    MakeDue =
    "UPDATE webhook_waiting SET next_at = ? WHERE endpoint = ? AND (commit_seq, number) = \
     (SELECT commit_seq, number FROM webhook_waiting WHERE endpoint = ? AND subject = ? \
     ORDER BY commit_seq, number LIMIT 1) AND next_at IS NULL"
}

statement! {
    /// Makes events due whose last attempt was not answered.
    Wake =
    "UPDATE webhook_waiting SET next_at = ? WHERE endpoint = ? AND next_at > ? AND is_silent"
}

statement! {
    /// A delivery takes the row of the oldest one that is kept.
    Deliver =
    "INSERT OR REPLACE INTO webhook_deliveries \
     (endpoint, slot, position, at, commit_seq, number, name, attempt, status, duration_ms, error) \
     VALUES (?, ? % ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
}

statement! {
    Move =
    "UPDATE webhook_endpoints SET commit_seq = ?, number = ?, attempts = attempts + ?, \
     holder = NULL, leased_until = ?, last_success_at = ?, failing_since = ?, silent_rounds = ?, \
     quiet_until = ? WHERE id = ?"
}

/// Writes the result of a round.
pub(super) fn record(
    conn: &mut SqliteConnection,
    holder: Uuid,
    round: &Round,
) -> Result<Recorded, Failure> {
    let id = Value::from(round.endpoint.uuid());
    let [commit_seq, number] = place(round.from);
    let held = [id, holder.into(), commit_seq, number];
    let held: Vec<(i64, i64)> = load::<Held, _>(conn, &held)?;
    let Some(&(version, attempts_before)) = held.first() else {
        return Ok(Recorded::Lost);
    };
    if version != round.version {
        return Ok(Recorded::Changed);
    }
    record_waiting(conn, round)?;
    record_deliveries(conn, round, attempts_before)?;
    let mut values = place(round.to).to_vec();
    values.push(attempts(round).into());
    values.push(round.again_at.into());
    values.extend(health_values(&round.health));
    values.push(id);
    execute::<Move>(conn, &values)?;
    disable(conn, round)?;
    Ok(Recorded::Done)
}

fn place(cursor: Cursor) -> [Value<'static>; 2] {
    cursor_values(cursor).map(Value::from)
}

fn record_waiting(conn: &mut SqliteConnection, round: &Round) -> Result<(), Failure> {
    let id = Value::from(round.endpoint.uuid());
    for event in &round.waiting {
        let [commit_seq, number] = place(event.cursor);
        let values = [
            id,
            commit_seq,
            number,
            event.name.as_str().into(),
            event.subject.into(),
            i64::from(event.attempts).into(),
            event.next_at.into(),
            (&event.last_error).into(),
            event.is_silent.into(),
        ];
        execute::<Wait>(conn, &values)?;
    }
    let mut freed = HashSet::new();
    for cursor in &round.settled {
        let [commit_seq, number] = place(*cursor);
        let subjects: Vec<(StoredId,)> = load::<Settle, _>(conn, &[id, commit_seq, number])?;
        for (subject,) in subjects {
            freed.insert(subject.uuid("webhook_waiting.subject")?);
        }
    }
    for subject in freed {
        execute::<MakeDue>(conn, &[round.at.into(), id, id, subject.into()])?;
    }
    if round.wakes_silent {
        execute::<Wake>(conn, &[round.at.into(), id, round.at.into()])?;
    }
    Ok(())
}

fn record_deliveries(
    conn: &mut SqliteConnection,
    round: &Round,
    attempts_before: i64,
) -> Result<(), Failure> {
    for (place_in_round, delivery) in kept_deliveries(round) {
        let position = Value::from(attempts_before.saturating_add(place_in_round));
        let [commit_seq, number] = place(delivery.event);
        let values = [
            round.endpoint.uuid().into(),
            position,
            deliveries_kept(),
            position,
            delivery.at.into(),
            commit_seq,
            number,
            delivery.name.as_str().into(),
            i64::from(delivery.attempt).into(),
            delivery.status.map(i64::from).into(),
            milliseconds(delivery.duration).into(),
            (&delivery.error).into(),
        ];
        execute::<Deliver>(conn, &values)?;
    }
    Ok(())
}

/// Disables the endpoint of a round that says so.
fn disable(conn: &mut SqliteConnection, round: &Round) -> Result<(), Failure> {
    if let Some(reason) = &round.disabled
        && let Some(TrackedEndpoint { endpoint, .. }) = find(conn, round.endpoint)?
    {
        let write = EndpointWrite {
            expected: endpoint.version,
            endpoint: endpoint.disable(reason, round.at),
            starts_over: false,
        };
        update(conn, &write)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sql_common::webhook::Hurry;

    use super::*;
    use crate::{statement::Sql, tests::assert_uses_index};

    #[tokio::test]
    async fn waiting_events_are_found_in_order() {
        assert_uses_index(Due::text(), "webhook_waiting_due").await;
        assert_uses_index(IsWaiting::text(), "webhook_waiting_subjects").await;
        assert_uses_index(MakeDue::text(), "webhook_waiting_subjects").await;
        assert_uses_index(Wake::text(), "webhook_waiting_silent").await;
        assert_uses_index(Hurry::text(), "webhook_waiting_due").await;
    }
}
