use std::collections::HashMap;

use diesel::sql_types::{BigInt, Nullable};
use kernel::Version;
use time::OffsetDateTime;
use webhooks::{
    EndpointBacklog, LONGER_THAN_ANY_WAIT, LONGEST_REST, Lease, LeaseQuery, MOST_WAITING_COUNTED,
    Release,
};

use crate::{
    binds, each,
    event::cursor_values,
    executor::{Executor, Outcome, counted},
    horizon, statement,
    stored::{Decode, most},
    types::{Id, Moment},
    value::Named,
};

/// The condition for leasing an `endpoint`, the order, and the limit. Waiting events matter only
/// when the whole log was read. For an endpoint that does not answer, any waiting event suffices as
/// a probe. A rest that ends after `:longest_rest` comes from a wrong clock, and is ignored.
#[macro_export]
macro_rules! may_be_leased {
    () => {
        r"WHERE state = 'active'
            AND (leased_until IS NULL OR leased_until <= :now
                OR (holder IS NULL AND leased_until > :longest_rest))
            AND (open_until IS NULL OR open_until <= :now)
            AND ((endpoint.commit_seq, endpoint.number) < (:commit_seq, :number)
                OR (SELECT min(waiting.next_at) FROM webhook_waiting AS waiting
                    WHERE waiting.endpoint = endpoint.id)
                    <= CASE silent_rounds WHEN 0 THEN :now{postgres ::timestamptz}
                        ELSE :any_wait{postgres ::timestamptz} END)
            ORDER BY leased_until NULLS FIRST, id LIMIT :limit"
    };
}

pub fn lease_values(query: &LeaseQuery) -> [Named<'static>; 8] {
    let LeaseQuery {
        now, holder, until, ..
    } = *query;
    let [commit_seq, number] = cursor_values(query.end);
    let (longest_rest, any_wait) = (now + LONGEST_REST, now + LONGER_THAN_ANY_WAIT);
    let limit = most(query.limit);
    *binds! { now, longest_rest, any_wait, commit_seq, number, limit, holder, until }
}

/// Changes held leases, on PostgreSQL. Skips endpoints that another transaction has locked, so that
/// they delay no others. The rounds of skipped endpoints end early, or their leases expire.
fn held(sent: &str, columns: &str, change: &str) -> String {
    format!(
        "WITH held AS MATERIALIZED (
            SELECT sent.* FROM unnest(:endpoint::uuid[], :holder::uuid[]{sent})
                AS sent (chosen, chosen_holder{columns})
            JOIN webhook_endpoints ON id = chosen AND holder = chosen_holder
            ORDER BY id FOR NO KEY UPDATE OF webhook_endpoints SKIP LOCKED
        )
        UPDATE webhook_endpoints SET {change} FROM held WHERE id = chosen"
    )
}

statement! {
    Renew = {
        postgres: &(held("", "", "leased_until = :until") + " RETURNING id, holder, version"),
        sqlite: r"
            UPDATE webhook_endpoints SET leased_until = :until
            WHERE id = :endpoint AND holder = :holder RETURNING id, holder, version",
    },
    returns (Id, Id, BigInt)
}

pub async fn renew(
    conn: &mut impl Executor,
    leases: &[Lease],
    until: OffsetDateTime,
) -> Outcome<HashMap<Lease, Version>> {
    let leases = each! { leases, it => endpoint: it.endpoint.uuid(), holder: it.holder };
    let renewed = conn.load_each::<Renew>(&leases, binds! { until }).await?;
    let held = renewed.into_iter().map(|(id, holder, version)| {
        let lease = Lease {
            endpoint: id.decode("webhook_endpoints.id")?,
            holder: holder.decode("webhook_endpoints.holder")?,
        };
        Ok((lease, version))
    });
    held.collect()
}

statement! {
    /// Sets the cursor only if the version and the cursor are unchanged.
    EndLease = {
        postgres: &held(
            ", :version::bigint[], :from_in::bigint[], :from_number::bigint[], :to_in::bigint[],
                    :to_number::bigint[], :again_at::timestamptz[]",
            ", seen_version, from_in, from_number, to_in, to_number, again_at",
            "holder = NULL, leased_until = again_at,
                commit_seq = CASE WHEN (version, commit_seq, number)
                    = (seen_version, from_in, from_number) THEN to_in ELSE commit_seq END,
                number = CASE WHEN (version, commit_seq, number)
                    = (seen_version, from_in, from_number) THEN to_number ELSE number END"
        ),
        sqlite: r"
            UPDATE webhook_endpoints SET holder = NULL, leased_until = :again_at,
                commit_seq = iif((version, commit_seq, number)
                    = (:version, :from_in, :from_number), :to_in, commit_seq),
                number = iif((version, commit_seq, number)
                    = (:version, :from_in, :from_number), :to_number, number)
            WHERE id = :endpoint AND holder = :holder",
    }
}

pub async fn release(conn: &mut impl Executor, releases: &[Release]) -> Outcome<()> {
    let release = |release: &Release| {
        let [[from_in, from_number], [to_in, to_number]] =
            [release.from, release.to].map(cursor_values);
        let Lease { endpoint, holder } = release.lease;
        let values = binds! {
            endpoint: endpoint.uuid(), holder, version: release.version,
            from_in, from_number, to_in, to_number, again_at: release.again_at,
        };
        values.to_vec()
    };
    let releases: Vec<_> = releases.iter().map(release).collect();
    conn.execute_each::<EndLease>(&releases, &[]).await?;
    Ok(())
}

statement! {
    /// On SQLite, a cursor from a PostgreSQL store is after all events.
    Backlog = {
        postgres: concat!(
            "SELECT endpoint.id, (
                SELECT coalesce(sum(1 + json_array_length(later::json)), 0) FROM (
                    SELECT later FROM webhook_waiting AS waiting
                    WHERE waiting.endpoint = endpoint.id LIMIT :counted
                ) AS counted
            ), (
                SELECT at FROM events
                WHERE (events.commit_seq, events.number) > (endpoint.commit_seq, endpoint.number)
                    AND events.commit_seq < place.horizon
                ORDER BY events.commit_seq, events.number LIMIT 1
            )
            FROM webhook_endpoints AS endpoint CROSS JOIN (
                SELECT ", horizon!(), " AS horizon FROM event_log WHERE singleton
            ) AS place
            WHERE state = 'active' ORDER BY endpoint.id LIMIT :limit"
        ),
        sqlite: r"
            SELECT id, (
                SELECT coalesce(sum(1 + json_array_length(later)), 0) FROM (
                    SELECT later FROM webhook_waiting AS waiting
                    WHERE waiting.endpoint = endpoint.id LIMIT :counted
                )
            ), (
                SELECT at FROM events WHERE events.number
                    > iif(endpoint.commit_seq = 0, endpoint.number, 9223372036854775807)
                ORDER BY events.number LIMIT 1
            )
            FROM webhook_endpoints AS endpoint WHERE state = 'active' ORDER BY id LIMIT :limit",
    },
    returns (Id, BigInt, Nullable<Moment>)
}

pub async fn backlog(conn: &mut impl Executor, limit: usize) -> Outcome<Vec<EndpointBacklog>> {
    let asked = binds! { counted: most(MOST_WAITING_COUNTED), limit: most(limit) };
    let rows = conn.load::<Backlog>(asked).await?;
    let backlogs = rows.into_iter().map(|(endpoint, waiting, since)| {
        Ok(EndpointBacklog {
            endpoint: endpoint.decode("webhook_endpoints.id")?,
            waiting: counted(&[(waiting,)]).min(MOST_WAITING_COUNTED),
            behind_since: since.decode("events.at")?,
        })
    });
    backlogs.collect()
}
