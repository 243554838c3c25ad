//! Leases of endpoints, and how far endpoints are behind.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Nullable};
use diesel_async::AsyncPgConnection;
use kernel::{Version, event::Cursor};
use sql_common::{
    event::cursor_values,
    may_be_leased, tracked_columns,
    types::{Id, Moment, StoredId, StoredTime},
    webhook::{
        self, BacklogColumns, BacklogRow, EndpointRow, TrackedColumns, TrackedRow, backlog_values,
        lease_values, tracked,
    },
};
use time::OffsetDateTime;
use webhooks::{EndpointBacklog, EndpointId, Lease, LeaseQuery, Release, TrackedEndpoint};

use crate::{
    error::Failure,
    event::horizon,
    statement::{Value, bigints, execute, load, statement, times, uuids},
};

statement! {
    /// Passes by the endpoints that another transaction has locked: it leases them, or makes them
    /// wait for their next turn. The endpoints are chosen once and for all (`MATERIALIZED`): chosen
    /// anew for each row that is updated, they would not be limited.
    BeginLease =
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
    let rows: Vec<(TrackedRow, Option<StoredTime>)> = load::<BeginLease, _>(conn, &values).await?;
    let leased = rows
        .into_iter()
        .map(|(row, ended_at)| Ok((ended_at, tracked(row)?)));
    let mut leased = leased.collect::<Result<Vec<_>, Failure>>()?;
    leased.sort_unstable_by_key(|(ended_at, tracked)| (*ended_at, tracked.endpoint.id));
    Ok(leased.into_iter().map(|(_, tracked)| tracked).collect())
}

/// Changes leases that are held. An endpoint that another transaction has locked is passed by, so
/// that it holds up no other: a lease that was not renewed ends its round, and one that was not
/// ended lapses.
macro_rules! held {
    ($sent:literal, $columns:literal, $change:literal) => {
        concat!(
            "WITH held AS MATERIALIZED (SELECT sent.* FROM unnest(",
            $sent,
            ") AS sent (chosen, chosen_holder",
            $columns,
            ") JOIN webhook_endpoints ON id = chosen AND holder = chosen_holder \
             ORDER BY id FOR NO KEY UPDATE OF webhook_endpoints SKIP LOCKED) \
             UPDATE webhook_endpoints SET ",
            $change,
            " FROM held WHERE id = chosen"
        )
    };
}

statement! {
    Renew = concat!(held!("?, ?", "", "leased_until = ?"), " RETURNING id, holder, version"),
    returns (Id, Id, BigInt)
}

statement! {
    /// The place is set if it and the version are those of before.
    EndLease = held!(
        "?, ?, ?, ?, ?, ?, ?, ?",
        ", seen_version, from_in, from_number, to_in, to_number, again_at",
        "holder = NULL, leased_until = again_at, commit_seq = CASE WHEN \
         (version, commit_seq, number) = (seen_version, from_in, from_number) \
         THEN to_in ELSE commit_seq END, number = CASE WHEN \
         (version, commit_seq, number) = (seen_version, from_in, from_number) \
         THEN to_number ELSE number END"
    )
}

/// Moves the end of leases, and returns those that are still held, with the endpoint's version.
pub(super) async fn renew(
    conn: &mut AsyncPgConnection,
    leases: &[Lease],
    until: OffsetDateTime,
) -> Result<HashMap<Lease, Version>, Failure> {
    let values = [
        uuids(leases, |lease| lease.endpoint.uuid()),
        uuids(leases, |lease| lease.holder),
        until.into(),
    ];
    let renewed: Vec<(StoredId, StoredId, Version)> = load::<Renew, _>(conn, &values).await?;
    let held = renewed.into_iter().map(|(id, holder, version)| {
        let lease = Lease {
            endpoint: EndpointId::new(id.uuid("webhook_endpoints.id")?),
            holder: holder.uuid("webhook_endpoints.holder")?,
        };
        Ok((lease, version))
    });
    held.collect()
}

/// Ends leases.
pub(super) async fn release(
    conn: &mut AsyncPgConnection,
    releases: &[Release],
) -> Result<(), Failure> {
    let part = |of: fn(&Release) -> Cursor, at: usize| {
        bigints(releases, move |it| Some(cursor_values(of(it))[at]))
    };
    let values = [
        uuids(releases, |it| it.lease.endpoint.uuid()),
        uuids(releases, |it| it.lease.holder),
        bigints(releases, |it| Some(it.version)),
        part(|it| it.from, 0),
        part(|it| it.from, 1),
        part(|it| it.to, 0),
        part(|it| it.to, 1),
        times(releases, |it| it.again_at),
    ];
    execute::<EndLease>(conn, &values).await?;
    Ok(())
}

statement! {
    Backlog =
    concat!(
        "SELECT endpoint.id, \
         (SELECT count(*) FROM (SELECT FROM webhook_waiting AS waiting \
         WHERE waiting.endpoint = endpoint.id LIMIT ?) AS counted), \
         (SELECT at FROM events \
         WHERE (events.commit_seq, events.number) > (endpoint.commit_seq, endpoint.number) \
         AND events.commit_seq < place.horizon \
         ORDER BY events.commit_seq, events.number LIMIT 1) \
         FROM webhook_endpoints AS endpoint CROSS JOIN (\
         SELECT ", horizon!(), " AS horizon FROM event_log WHERE singleton) AS place \
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
        let plan = plan(BeginLease::text(), "").await;
        assert_uses_index(&plan, "webhook_waiting_due");
        assert_uses_index(&plan, "webhook_endpoints_active");
        assert!(!plan.contains("hashed"), "{plan}");
    }

    #[tokio::test]
    async fn leases_are_found_by_their_endpoints() {
        for (query, types) in [
            (Renew::text(), "(uuid[], uuid[], timestamptz)"),
            (
                EndLease::text(),
                "(uuid[], uuid[], bigint[], bigint[], bigint[], bigint[], bigint[], timestamptz[])",
            ),
        ] {
            assert_uses_index(&plan(query, types).await, "webhook_endpoints_pkey");
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
