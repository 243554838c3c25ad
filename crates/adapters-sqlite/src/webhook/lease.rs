//! Leases of endpoints, and how far endpoints are behind.

use std::collections::HashMap;

use diesel::{SqliteConnection, sql_types::BigInt};
use kernel::Version;
use sql_common::{
    event::cursor_values,
    tracked_columns,
    webhook::{
        self, BacklogColumns, BacklogRow, EndpointRow, TrackedColumns, TrackedRow, backlog_values,
        lease_values, tracked,
    },
};
use time::OffsetDateTime;
use webhooks::{EndpointBacklog, Lease, LeaseQuery, Release, TrackedEndpoint};

use crate::{
    error::Failure,
    statement::{Value, execute, load, statement},
};

statement! {
    MayBeLeased =
    concat!(
        "SELECT ", tracked_columns!(), " FROM webhook_endpoints AS endpoint ",
        sql_common::may_be_leased!()
    ),
    over [EndpointRow],
    returns TrackedColumns
}

statement! {
    BeginLease = "UPDATE webhook_endpoints SET holder = ?, leased_until = ? WHERE id = ?"
}

/// The endpoints that may be leased, in order.
pub(super) fn may_be_leased(
    conn: &mut SqliteConnection,
    query: &LeaseQuery,
) -> Result<Vec<TrackedEndpoint>, Failure> {
    let rows: Vec<TrackedRow> = load::<MayBeLeased, _>(conn, &lease_values(query))?;
    Ok(rows.into_iter().map(tracked).collect::<Result<_, _>>()?)
}

/// Leases endpoints.
pub(super) fn lease(
    conn: &mut SqliteConnection,
    query: &LeaseQuery,
) -> Result<Vec<TrackedEndpoint>, Failure> {
    let leased = may_be_leased(conn, query)?;
    for tracked in &leased {
        let id = tracked.endpoint.id.uuid();
        execute::<BeginLease>(conn, &[query.holder.into(), query.until.into(), id.into()])?;
    }
    Ok(leased)
}

statement! {
    Renew =
    "UPDATE webhook_endpoints SET leased_until = ? WHERE id = ? AND holder = ? RETURNING version",
    returns (BigInt,)
}

/// Moves the end of leases, and returns those that are still held, with the endpoint's version.
pub(super) fn renew(
    conn: &mut SqliteConnection,
    leases: &[Lease],
    until: OffsetDateTime,
) -> Result<HashMap<Lease, Version>, Failure> {
    let mut held = HashMap::new();
    for lease in leases {
        let values = [
            until.into(),
            lease.endpoint.uuid().into(),
            lease.holder.into(),
        ];
        let versions: Vec<(Version,)> = load::<Renew, _>(conn, &values)?;
        held.extend(versions.first().map(|(version,)| (*lease, *version)));
    }
    Ok(held)
}

statement! {
    /// The place is set if it and the version are those of before.
    EndLease =
    "UPDATE webhook_endpoints SET holder = NULL, leased_until = again_at, \
     commit_seq = iif((version, commit_seq, number) = \
     (seen_version, from_in, from_number), to_in, commit_seq), \
     number = iif((version, commit_seq, number) = \
     (seen_version, from_in, from_number), to_number, number) \
     FROM (SELECT ? AS again_at, ? AS seen_version, ? AS from_in, ? AS from_number, ? AS to_in, \
     ? AS to_number) AS sent WHERE id = ? AND holder = ?"
}

/// Ends leases.
pub(super) fn release(conn: &mut SqliteConnection, releases: &[Release]) -> Result<(), Failure> {
    for release in releases {
        let mut values = vec![release.again_at.into(), release.version.into()];
        let places = [release.from, release.to].map(cursor_values);
        values.extend(places.into_iter().flatten().map(Value::from));
        let Lease { endpoint, holder } = release.lease;
        values.extend([endpoint.uuid(), holder].map(Value::from));
        execute::<EndLease>(conn, &values)?;
    }
    Ok(())
}

statement! {
    /// A place that another kind of store has made is behind all of this one.
    Backlog =
    "SELECT id, \
     (SELECT count(*) FROM (SELECT 1 FROM webhook_waiting AS waiting \
     WHERE waiting.endpoint = endpoint.id LIMIT ?)), \
     (SELECT at FROM events WHERE events.number > \
     iif(endpoint.commit_seq = 0, endpoint.number, 9223372036854775807) \
     ORDER BY events.number LIMIT 1) \
     FROM webhook_endpoints AS endpoint WHERE state = 'active' ORDER BY id LIMIT ?",
    returns BacklogColumns
}

/// How far active endpoints are behind.
pub(super) fn backlog(
    conn: &mut SqliteConnection,
    limit: usize,
) -> Result<Vec<EndpointBacklog>, Failure> {
    let rows: Vec<BacklogRow> = load::<Backlog, _>(conn, &backlog_values(limit))?;
    let backlogs = rows.into_iter().map(webhook::backlog);
    Ok(backlogs.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::plan};

    #[tokio::test]
    async fn what_is_due_is_looked_up_for_each_endpoint() {
        let plan = plan(MayBeLeased::text()).await;
        let search = "SEARCH waiting USING COVERING INDEX webhook_waiting_due (endpoint=? ";
        assert!(plan.contains(search), "{plan}");
    }

    #[tokio::test]
    async fn a_backlog_is_looked_up_for_each_endpoint() {
        let plan = plan(Backlog::text()).await;
        for step in [
            "SCAN endpoint USING INDEX webhook_endpoints_active",
            "SEARCH waiting USING COVERING INDEX webhook_waiting_subjects (endpoint=?)",
            "SEARCH events USING INTEGER PRIMARY KEY (rowid>?)",
        ] {
            assert!(plan.contains(step), "{plan}");
        }
        assert!(!plan.contains("USE TEMP B-TREE"), "{plan}");
    }
}
