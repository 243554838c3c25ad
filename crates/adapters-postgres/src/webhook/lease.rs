//! Leases of endpoints, and how far endpoints are behind.

use std::collections::HashSet;

use diesel::sql_types::Nullable;
use diesel_async::AsyncPgConnection;
use domain::webhook::{EndpointBacklog, EndpointId, LeaseQuery, TrackedEndpoint};
use sql_common::{
    may_be_leased, tracked_columns,
    types::{Id, Moment, StoredId, StoredTime},
    webhook::{
        self, BacklogColumns, BacklogRow, EndpointRow, TrackedColumns, TrackedRow, backlog_values,
        lease_values, tracked,
    },
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::Failure,
    event::horizon,
    statement::{Value, execute, load, statement, uuids},
};

statement! {
    /// Passes by the endpoints that another transaction has locked: it leases them, or makes them
    /// wait for their next turn. The endpoints are chosen once and for all (`MATERIALIZED`): chosen
    /// anew for each row that is updated, they would not be limited.
    Lease =
    concat!(
        "WITH free AS MATERIALIZED (\
         SELECT id AS chosen, leased_until AS ended_at FROM webhook_endpoints AS endpoint ",
        may_be_leased!(),
        " FOR NO KEY UPDATE SKIP LOCKED) \
         UPDATE webhook_endpoints SET holder = ?, leased_until = ? FROM free WHERE id = chosen \
         RETURNING ", tracked_columns!(), ", ended_at"
    ),
    over [EndpointRow],
    returns (TrackedColumns, Nullable<Moment>)
}

/// Leases endpoints, in the order in which they are chosen.
pub(super) async fn lease(
    conn: &mut AsyncPgConnection,
    query: &LeaseQuery,
) -> Result<Vec<TrackedEndpoint>, Failure> {
    let mut values: Vec<_> = lease_values(query).map(Value::from).into();
    values.extend([query.holder.into(), query.until.into()]);
    let rows: Vec<(TrackedRow, Option<StoredTime>)> = load::<Lease, _>(conn, &values).await?;
    let leased = rows
        .into_iter()
        .map(|(row, ended_at)| Ok((ended_at, tracked(row)?)));
    let mut leased = leased.collect::<Result<Vec<_>, Failure>>()?;
    leased.sort_unstable_by_key(|(ended_at, tracked)| (*ended_at, tracked.endpoint.id));
    Ok(leased.into_iter().map(|(_, tracked)| tracked).collect())
}

/// Changes the leases that the holder has of some endpoints, which are locked in order.
macro_rules! held {
    ($and:literal, $change:literal) => {
        concat!(
            "WITH held AS MATERIALIZED (SELECT id AS chosen FROM webhook_endpoints \
             WHERE holder = ? AND id = ANY(?)",
            $and,
            " ORDER BY id FOR NO KEY UPDATE) \
             UPDATE webhook_endpoints SET leased_until = ?",
            $change,
            " FROM held WHERE id = chosen RETURNING id"
        )
    };
}

statement! {
    Renew = held!(" AND state = 'active'", ""),
    returns (Id,)
}

statement! {
    Release = held!("", ", holder = NULL")
}

fn held(holder: Uuid, endpoints: &[EndpointId], at: OffsetDateTime) -> [Value<'_>; 3] {
    [
        holder.into(),
        uuids(endpoints, |endpoint| endpoint.uuid()),
        at.into(),
    ]
}

/// Moves the end of leases, and returns the endpoints that are still leased and active.
pub(super) async fn renew(
    conn: &mut AsyncPgConnection,
    holder: Uuid,
    endpoints: &[EndpointId],
    until: OffsetDateTime,
) -> Result<HashSet<EndpointId>, Failure> {
    let values = held(holder, endpoints, until);
    let renewed: Vec<(StoredId,)> = load::<Renew, _>(conn, &values).await?;
    let ids = renewed
        .into_iter()
        .map(|(id,)| id.uuid("webhook_endpoints.id").map(EndpointId::new));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Ends leases.
pub(super) async fn release(
    conn: &mut AsyncPgConnection,
    holder: Uuid,
    endpoints: &[EndpointId],
    now: OffsetDateTime,
) -> Result<(), Failure> {
    execute::<Release>(conn, &held(holder, endpoints, now)).await?;
    Ok(())
}

statement! {
    Backlog =
    concat!(
        "SELECT endpoint.id, \
         (SELECT count(*) FROM (SELECT FROM webhook_waiting AS waiting \
         WHERE waiting.endpoint = endpoint.id LIMIT ?) AS counted), \
         (SELECT at FROM events \
         WHERE (events.written_in, events.number) > (endpoint.written_in, endpoint.number) \
         AND events.written_in < place.horizon \
         ORDER BY events.written_in, events.number LIMIT 1) \
         FROM webhook_endpoints AS endpoint CROSS JOIN (\
         SELECT ", horizon!(), " AS horizon FROM event_log WHERE is_the_one) AS place \
         WHERE state = 'active' ORDER BY endpoint.id LIMIT ?"
    ),
    returns BacklogColumns
}

/// How far active endpoints are behind.
pub(super) async fn backlog(
    conn: &mut AsyncPgConnection,
    limit: usize,
) -> Result<Vec<EndpointBacklog>, Failure> {
    let values = backlog_values(limit).map(Value::from);
    let rows: Vec<BacklogRow> = load::<Backlog, _>(conn, &values).await?;
    let backlogs = rows.into_iter().map(webhook::backlog);
    Ok(backlogs.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan},
    };

    #[tokio::test]
    async fn what_is_due_is_looked_up_for_each_endpoint() {
        let plan = plan(Lease::text(), "").await;
        assert_uses_index(&plan, "webhook_waiting_due");
        assert_uses_index(&plan, "webhook_endpoints_active");
        assert!(!plan.contains("hashed"), "{plan}");
    }

    #[tokio::test]
    async fn leases_are_found_by_their_endpoints() {
        for query in [Renew::text(), Release::text()] {
            assert_uses_index(&plan(query, "").await, "webhook_endpoints_pkey");
        }
    }

    #[tokio::test]
    async fn a_backlog_is_looked_up_for_each_endpoint() {
        let plan = plan(Backlog::text(), "").await;
        for index in ["webhook_endpoints_active", "events_pkey"] {
            assert_uses_index(&plan, index);
        }
        assert!(plan.contains("endpoint = endpoint.id"), "{plan}");
    }
}
