//! Finds due tasks and claims them.

use diesel::SqliteConnection;
use kernel::outbox::{Claimed, Queue};
use sql_common::outbox::{ClaimedColumns, ClaimedRow};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{self, execute, statement},
};

macro_rules! select {
    ($from:literal) => {
        concat!(
            "SELECT id, subject, generation, attempts, next_at, first_failed_at, lost, \
             trace_parent FROM outbox ",
            $from
        )
    };
}

statement! {
    Due = select!(
        "WHERE kind = ? AND account IS ? AND dead_at IS NULL AND lease IS NULL \
         AND next_at <= ? ORDER BY next_at, id LIMIT ?"
    ),
    returns ClaimedColumns
}

statement! {
    /// Those whose lease ended.
    Suspects = select!(
        "WHERE kind = ? AND account IS ? AND lease IS NOT NULL AND next_at <= ? \
         ORDER BY next_at, id LIMIT 1"
    ),
    returns ClaimedColumns
}

/// Due tasks of a queue, the longest due first.
pub(super) fn due(
    conn: &mut SqliteConnection,
    queue: Queue,
    limit: usize,
    now: OffsetDateTime,
) -> Result<Vec<ClaimedRow>, Failure> {
    let at_most = i64::try_from(limit).unwrap_or(i64::MAX);
    let (kind, lane) = (queue.kind().as_str(), queue.lane());
    let values = [kind.into(), lane.into(), now.into(), at_most.into()];
    Ok(statement::load::<Due, _>(conn, &values)?)
}

/// Returns the longest overdue task of a queue whose lease has expired, and counts the lost
/// attempt.
pub(super) fn suspect(
    conn: &mut SqliteConnection,
    queue: Queue,
    now: OffsetDateTime,
) -> Result<Option<ClaimedRow>, Failure> {
    let (kind, lane) = (queue.kind().as_str(), queue.lane());
    let values = [kind.into(), lane.into(), now.into()];
    let rows: Vec<ClaimedRow> = statement::load::<Suspects, _>(conn, &values)?;
    Ok(rows.into_iter().next().map(|mut row| {
        row.lost += 1;
        row
    }))
}

statement! {
    Claim =
    "UPDATE outbox SET lease = ?, next_at = ?, lost = ?, attempts = attempts + 1 WHERE id = ?"
}

/// Claims tasks that were found in the same transaction.
pub(super) fn claim(
    conn: &mut SqliteConnection,
    queue: Queue,
    due: Vec<ClaimedRow>,
    lease: Uuid,
    until: OffsetDateTime,
) -> Result<Vec<Claimed>, Failure> {
    let mut claimed = Vec::with_capacity(due.len());
    for row in due {
        let (id, lost) = (row.id, row.lost);
        let mut task = row.claimed(queue, lease)?;
        task.attempts = task.attempts.saturating_add(1);
        let values = [lease.into(), until.into(), lost.into(), id.into()];
        execute::<Claim>(conn, &values)?;
        claimed.push(task);
    }
    Ok(claimed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::assert_uses_index};

    #[tokio::test]
    async fn due_tasks_are_found_in_order() {
        assert_uses_index(Due::text(), "outbox_due").await;
        assert_uses_index(Suspects::text(), "outbox_leased").await;
    }
}
