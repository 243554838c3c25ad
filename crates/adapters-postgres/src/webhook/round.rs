//! The result of a round of deliveries.

use diesel::sql_types::BigInt;
use diesel_async::AsyncPgConnection;
use kernel::{StoreError, Version, event::Cursor};
use sql_common::{
    event::cursor_values,
    types::StoredTime,
    webhook::{self, attempts, deliveries_kept, health_values, kept_deliveries, milliseconds},
};
use uuid::Uuid;
use webhooks::{EndpointWrite, Recorded, Round, TrackedEndpoint};

use crate::{
    PostgresStore,
    error::Failure,
    statement::{Value, bigints, bools, load, statement, texts, times, uuids},
};

impl PostgresStore {
    /// Writes the result of a round.
    pub(crate) async fn record_round(
        &self,
        holder: Uuid,
        round: Round,
    ) -> Result<Recorded, StoreError> {
        if let Some(reason) = round.disabled.clone() {
            self.transaction(async move |conn| disable(conn, holder, &round, &reason).await)
                .await
        } else {
            self.write(async move |conn| record(conn, holder, &round).await)
                .await
        }
    }
}

statement! {
    Record = include_str!("record.sql"),
    returns (BigInt,)
}

/// Writes the result of a round, but for a disabling.
async fn record(
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
async fn disable(
    conn: &mut AsyncPgConnection,
    holder: Uuid,
    round: &Round,
    reason: &str,
) -> Result<Recorded, Failure> {
    let recorded = record(conn, holder, round).await?;
    // The row is locked, so no other transaction changes it now.
    if recorded == Recorded::Done
        && let Some(TrackedEndpoint { endpoint, .. }) = webhook::find(conn, round.endpoint).await?
    {
        let write = EndpointWrite {
            expected: endpoint.version,
            endpoint: endpoint.disable(reason, round.at),
            starts_over: false,
        };
        webhook::update(conn, &write, None).await?;
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
