//! Finding due tasks and claiming them, in one statement.

use diesel::sql_types::Bool;
use diesel_async::AsyncPgConnection;
use domain::outbox::{Claimed, Queue};
use sql_common::outbox::{ClaimedColumns, ClaimedRow};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{Value, load, statement},
};

/// Claims the tasks that are found, and passes by what somebody else is claiming at this moment.
/// Names the account as the index does, or that could not be used. The tasks are found once and
/// for all (`MATERIALIZED`): found anew for each row that is updated, they would not be limited.
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
             first_failed_at, lost, event_name, source_identifier, occurred_at"
        )
    };
}

statement! {
    /// Of the events of one subject only the oldest may be claimed, whatever has become of it.
    /// What waits behind a dead one is not in the index; what waits behind another is passed by.
    Claim = claim!(
        "task.dead_at IS NULL AND task.lease IS NULL AND NOT task.blocked \
         AND (task.kind <> 'event' OR NOT EXISTS (\
         SELECT FROM outbox AS earlier WHERE earlier.kind = 'event' \
         AND earlier.subject = task.subject AND earlier.id < task.id))",
        ""
    ),
    returns ClaimedColumns
}

statement! {
    /// A task whose lease ended was claimed once, so an event among them is the oldest of its
    /// subject.
    ClaimSuspect = claim!("task.lease IS NOT NULL", ", lost = lost + 1"),
    returns ClaimedColumns
}

statement! {
    HasSuspect =
    "SELECT EXISTS (SELECT FROM outbox AS task WHERE task.kind = ? \
     AND coalesce(task.account, '') = ? AND task.lease IS NOT NULL AND task.next_at <= ?)",
    returns (Bool,)
}

/// What the index names a queue by.
fn named(queue: Queue) -> [Value<'static>; 2] {
    [
        Value::from(queue.kind().as_str()),
        Value::from(queue.lane().unwrap_or_default()),
    ]
}

/// Whether there is a task whose lease ended.
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

/// What is claimed.
#[derive(Clone, Copy)]
pub(super) enum Which {
    /// Up to this many due tasks.
    Due(i64),
    /// The one that is longest due of those whose lease ended.
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
        tests::plans::{goes_by, plan},
    };

    #[tokio::test]
    async fn due_tasks_are_found_in_order() {
        let types = "(text, text, timestamptz, bigint, uuid, timestamptz)";
        let plan = plan(Claim::text(), types).await;
        goes_by(&plan, "outbox_due");
        goes_by(&plan, "outbox_events");
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
            goes_by(&plan, "outbox_leased");
            assert!(plan.contains(" AND (next_at <= "), "{plan}");
        }
    }
}
