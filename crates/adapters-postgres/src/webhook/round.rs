//! Rounds of deliveries: the due events, and the result.

use std::collections::HashSet;

use diesel::sql_types::BigInt;
use diesel_async::AsyncPgConnection;
use kernel::{Version, event::Cursor};
use sql_common::{
    event::cursor_values,
    types::{Id, StoredId, StoredTime},
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
    statement::{Value, bigints, bools, load, statement, texts, times, uuids},
};

/// Waiting events whose next attempt is due.
pub(super) async fn due(
    conn: &mut AsyncPgConnection,
    endpoint: EndpointId,
    now: OffsetDateTime,
    limit: usize,
) -> Result<Vec<WaitingEvent>, Failure> {
    let values = due_values(endpoint, now, limit).map(Value::from);
    let rows: Vec<WaitingRow> = load::<Due, _>(conn, &values).await?;
    let due = rows.into_iter().map(WaitingEvent::try_from);
    Ok(due.collect::<Result<_, _>>()?)
}

statement! {
    /// Looks each subject up, for one of them may have many events.
    WaitingAmong =
    "SELECT asked.subject FROM unnest(?) AS asked (subject) CROSS JOIN LATERAL (\
     SELECT FROM webhook_waiting AS waiting \
     WHERE waiting.endpoint = ? AND waiting.subject = asked.subject LIMIT 1) AS found",
    returns (Id,)
}

/// The subjects among these of which an event waits.
pub(super) async fn waiting_among(
    conn: &mut AsyncPgConnection,
    endpoint: EndpointId,
    subjects: &[Uuid],
) -> Result<HashSet<Uuid>, Failure> {
    let values = [uuids(subjects, |id| *id), endpoint.uuid().into()];
    let rows: Vec<(StoredId,)> = load::<WaitingAmong, _>(conn, &values).await?;
    let subjects = rows
        .into_iter()
        .map(|(id,)| id.uuid("webhook_waiting.subject"));
    Ok(subjects.collect::<Result<_, _>>()?)
}

/// The number of events that wait, counted up to a limit.
pub(super) async fn count_waiting(
    conn: &mut AsyncPgConnection,
    endpoint: EndpointId,
    limit: usize,
) -> Result<usize, Failure> {
    let values = count_waiting_values(endpoint, limit).map(Value::from);
    Ok(count_of(&load::<CountWaiting, _>(conn, &values).await?))
}

/// The newest kept deliveries.
pub(super) async fn deliveries(
    conn: &mut AsyncPgConnection,
    endpoint: EndpointId,
    limit: usize,
) -> Result<Vec<DeliveryRecord>, Failure> {
    let values = deliveries_values(endpoint, limit).map(Value::from);
    let rows: Vec<DeliveryRow> = load::<Deliveries, _>(conn, &values).await?;
    let deliveries = rows.into_iter().map(DeliveryRecord::try_from);
    Ok(deliveries.collect::<Result<_, _>>()?)
}

statement! {
    Record = include_str!("record.sql"),
    returns (BigInt,)
}

/// Writes the result of a round, but for a disabling.
pub(super) async fn record(
    conn: &mut AsyncPgConnection,
    holder: Uuid,
    round: &Round,
) -> Result<Recorded, Failure> {
    // The columns of the places of things.
    fn places<'a, T>(rows: &[T], of: impl Fn(&T) -> Cursor) -> [Value<'a>; 2] {
        [0, 1].map(|part| {
            let column = rows.iter().map(|row| Some(cursor_values(of(row))[part]));
            Value::BigInts(column.collect())
        })
    }
    let waiting = &round.waiting;
    let deliveries = kept_deliveries(round);
    let next_at = waiting
        .iter()
        .map(|event| event.next_at.map(StoredTime::from));

    let id = round.endpoint.uuid();
    let mut values = vec![id.into(), holder.into()];
    values.extend(cursor_values(round.from).map(Value::from));
    values.push(round.version.into());
    values.extend([round.at.into(), round.again_at.into()]);
    values.push(round.wakes_silent.into());

    values.extend(places(waiting, |event| event.cursor));
    values.extend([
        texts(waiting, |event| Some(event.name.as_str())),
        uuids(waiting, |event| event.subject),
        bigints(waiting, |event| Some(event.attempts.into())),
        Value::Moments(next_at.collect()),
        texts(waiting, |event| event.last_error.as_deref()),
        bools(waiting, |event| event.is_silent),
    ]);
    values.extend(places(&round.settled, |cursor| *cursor));

    values.push(deliveries_kept().into());
    values.extend([
        bigints(&deliveries, |(place, _)| Some(*place)),
        times(&deliveries, |(_, row)| row.at),
    ]);
    values.extend(places(&deliveries, |(_, row)| row.event));
    values.extend([
        texts(&deliveries, |(_, row)| Some(row.name.as_str())),
        bigints(&deliveries, |(_, row)| Some(row.attempt.into())),
        bigints(&deliveries, |(_, row)| row.status.map(i64::from)),
        bigints(&deliveries, |(_, row)| Some(milliseconds(row.duration))),
        texts(&deliveries, |(_, row)| row.error.as_deref()),
    ]);

    values.extend(cursor_values(round.to).map(Value::from));
    values.push(attempts(round).into());
    values.extend(health_values(&round.health).map(Value::from));

    let locked: Vec<(Version,)> = load::<Record, _>(conn, &values).await?;
    Ok(match locked.first() {
        None => Recorded::Lost,
        Some((version,)) if *version == round.version => Recorded::Done,
        Some(_) => Recorded::Changed,
    })
}

/// Writes the result of a round that disables its endpoint, in a transaction of the caller's.
pub(super) async fn disable(
    conn: &mut AsyncPgConnection,
    holder: Uuid,
    round: &Round,
    reason: &str,
) -> Result<Recorded, Failure> {
    let recorded = record(conn, holder, round).await?;
    // The row is locked, so no other transaction changes it now.
    if recorded == Recorded::Done
        && let Some(TrackedEndpoint { endpoint, .. }) = find(conn, round.endpoint).await?
    {
        let write = EndpointWrite {
            expected: endpoint.version,
            endpoint: endpoint.disable(reason, round.at),
            starts_over: false,
        };
        update(conn, &write).await?;
    }
    Ok(recorded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan},
    };

    #[tokio::test]
    async fn due_events_are_found_in_order() {
        let plan = plan(Due::text(), "").await;
        assert_uses_index(&plan, "webhook_waiting_due");
        assert!(!plan.contains("Sort"), "{plan}");
    }

    #[tokio::test]
    async fn subjects_are_looked_up_one_by_one() {
        let plan = plan(WaitingAmong::text(), "(uuid[], uuid)").await;
        assert_uses_index(&plan, "webhook_waiting_subjects");
        assert!(plan.contains("subject = asked.subject"), "{plan}");
    }

    #[tokio::test]
    async fn a_round_looks_up_what_it_names() {
        let types = "(uuid, uuid, bigint, bigint, bigint, timestamptz, timestamptz, boolean, \
            bigint[], bigint[], text[], uuid[], bigint[], timestamptz[], text[], boolean[], \
            bigint[], bigint[], bigint, \
            bigint[], timestamptz[], bigint[], bigint[], text[], bigint[], bigint[], bigint[], \
            text[], bigint, bigint, bigint, timestamptz, timestamptz, bigint, timestamptz)";
        let plan = plan(Record::text(), types).await;
        for index in [
            "webhook_endpoints_pkey",
            "webhook_waiting_pkey",
            "webhook_waiting_subjects",
            "webhook_waiting_silent",
        ] {
            assert_uses_index(&plan, index);
        }
    }
}
