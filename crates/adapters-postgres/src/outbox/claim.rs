//! Finds due tasks and claims them, in one statement.

use diesel::sql_types::Bool;
use diesel_async::AsyncPgConnection;
use kernel::outbox::{Claimed, Queue};
use sql_common::outbox::{ClaimedColumns, ClaimedRow};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{Value, load, statement},
};

/// Selects tasks and claims them, skipping rows that another worker is claiming.
///
/// `coalesce(account, '')` is the expression of the index, which could not be used otherwise.
/// `MATERIALIZED` keeps the `LIMIT` in force.
macro_rules! claim {
    ($which:literal, $and:literal) => {
        concat!(
            "WITH due AS MATERIALIZED (\
             SELECT task.id, task.next_at FROM outbox AS task \
             WHERE task.kind = ? AND coalesce(task.account, '') = ? AND ",
            $which,
            " AND task.next_at <= ? ORDER BY task.next_at, task.id LIMIT ? \
             FOR UPDATE SKIP LOCKED) \
             UPDATE outbox SET lease = ?, next_at = ?, attempts = attempts + 1",
            $and,
            " FROM due WHERE outbox.id = due.id \
             RETURNING outbox.id, subject, generation, attempts, due.next_at, \
             first_failed_at, lost, trace_parent"
        )
    };
}

statement! {
    Claim = claim!("task.dead_at IS NULL AND task.lease IS NULL", ""),
    returns ClaimedColumns
}

statement! {
    ClaimSuspect = claim!("task.lease IS NOT NULL", ", lost = lost + 1"),
    returns ClaimedColumns
}

statement! {
    HasSuspect =
    "SELECT EXISTS (SELECT FROM outbox AS task WHERE task.kind = ? \
     AND coalesce(task.account, '') = ? AND task.lease IS NOT NULL AND task.next_at <= ?)",
    returns (Bool,)
}

/// The kind and the lane of a queue, as the index has them.
fn named(queue: Queue) -> [Value<'static>; 2] {
    [
        Value::from(queue.kind().as_str()),
        Value::from(queue.lane().unwrap_or_default()),
    ]
}

/// Whether the lease of some task has expired.
pub(super) async fn has_suspect(
    conn: &mut AsyncPgConnection,
    queue: Queue,
    now: OffsetDateTime,
) -> Result<bool, Failure> {
    let [kind, account] = named(queue);
    let values = [kind, account, now.into()];
    let found: Vec<(bool,)> = load::<HasSuspect, _>(conn, &values).await?;
    Ok(found.iter().any(|(found,)| *found))
}

/// Which tasks to claim.
#[derive(Clone, Copy)]
pub(super) enum Which {
    /// Up to this many due tasks.
    Due(i64),
    /// Of the tasks whose lease has expired, the one that is longest overdue.
    Suspect,
}

/// Claims tasks, the longest due first.
pub(super) async fn claim(
    conn: &mut AsyncPgConnection,
    queue: Queue,
    which: Which,
    lease: Uuid,
    now: OffsetDateTime,
    until: OffsetDateTime,
) -> Result<Vec<Claimed>, Failure> {
    let limit = match which {
        Which::Due(limit) => limit,
        Which::Suspect => 1,
    };
    let [kind, account] = named(queue);
    let values = [
        kind,
        account,
        now.into(),
        limit.into(),
        lease.into(),
        until.into(),
    ];
    let mut rows: Vec<ClaimedRow> = match which {
        Which::Due(_) => load::<Claim, _>(conn, &values).await?,
        Which::Suspect => load::<ClaimSuspect, _>(conn, &values).await?,
    };
    rows.sort_unstable_by_key(|row| (row.due_at, row.id));
    let claimed = rows.into_iter().map(|row| row.claimed(queue, lease));
    Ok(claimed.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan},
    };

    #[tokio::test]
    async fn due_tasks_are_found_in_order() {
        let types = "(text, text, timestamptz, bigint, uuid, timestamptz)";
        let plan = plan(Claim::text(), types).await;
        assert_uses_index(&plan, "outbox_due");
        // Down to the time that they are due at.
        assert!(plan.contains(" AND (next_at <= "), "{plan}");
        assert!(!plan.contains("Sort Key"), "{plan}");
    }

    #[tokio::test]
    async fn suspects_are_found_without_the_others() {
        let types = "(text, text, timestamptz, bigint, uuid, timestamptz)";
        let types_of_look = "(text, text, timestamptz)";
        for (query, types) in [
            (ClaimSuspect::text(), types),
            (HasSuspect::text(), types_of_look),
        ] {
            let plan = plan(query, types).await;
            assert_uses_index(&plan, "outbox_leased");
            assert!(plan.contains(" AND (next_at <= "), "{plan}");
        }
    }
}
