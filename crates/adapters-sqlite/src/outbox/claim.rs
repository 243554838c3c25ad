//! Finds due tasks and claims them.

use diesel::SqliteConnection;
use domain::outbox::{Claimed, EVENTS, Queue};
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
             event_name, source_identifier, occurred_at FROM outbox ",
            $from
        )
    };
}

statement! {
    DueEffects = select!(
        "WHERE kind = ? AND account IS ? AND dead_at IS NULL AND lease IS NULL AND blocked = 0 \
         AND next_at <= ? ORDER BY next_at, id LIMIT ?"
    ),
    returns ClaimedColumns
}

statement! {
    /// A task whose lease has expired. It was claimed before, so an event among these is the oldest
    /// of its subject.
    Suspects = select!(
        "WHERE kind = ? AND account IS ? AND lease IS NOT NULL AND next_at <= ? \
         ORDER BY next_at, id LIMIT 1"
    ),
    returns ClaimedColumns
}

statement! {
    /// Takes only the oldest event of each subject. Events behind a dead one are `blocked`, and so
    /// not in the index; the condition skips those behind any other.
    DueEvents = select!(
        "WHERE kind = 'event' AND account IS NULL AND dead_at IS NULL AND lease IS NULL \
         AND blocked = 0 AND next_at <= ? AND NOT EXISTS (SELECT 1 FROM outbox AS earlier WHERE earlier.kind = 'event' \
         AND earlier.subject = outbox.subject AND earlier.id < outbox.id) \
         ORDER BY next_at, id LIMIT ?"
    ),
    returns ClaimedColumns
}

/// Returns due tasks of a queue, the longest overdue first.
pub(super) fn due(
    conn: &mut SqliteConnection,
    queue: Queue,
    limit: usize,
    now: OffsetDateTime,
) -> Result<Vec<ClaimedRow>, Failure> {
    let now = now.into();
    let at_most = i64::try_from(limit).unwrap_or(i64::MAX).into();
    if queue == EVENTS {
        return Ok(statement::load::<DueEvents, _>(conn, &[now, at_most])?);
    }
    let (kind, lane) = (queue.kind().as_str(), queue.lane());
    let values = [kind.into(), lane.into(), now, at_most];
    Ok(statement::load::<DueEffects, _>(conn, &values)?)
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
        assert_uses_index(DueEffects::text(), "outbox_due").await;
        assert_uses_index(DueEvents::text(), "outbox_due").await;
        assert_uses_index(Suspects::text(), "outbox_leased").await;
    }

    #[tokio::test]
    async fn earlier_events_are_found_by_their_subject() {
        assert_uses_index(DueEvents::text(), "outbox_events").await;
    }
}
