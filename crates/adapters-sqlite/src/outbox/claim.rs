//! Finding due tasks, and claiming them.

use diesel::{
    Queryable, SqliteConnection,
    sql_types::{BigInt, Binary, Nullable, Text},
};
use domain::{
    outbox::{Claimed, Kind, Queue, Receipt, TaskId},
    store::stored::{StoredWork, count},
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{self, execute, statement},
    value::{micros, optional_time, uuid},
};

type Columns = (
    BigInt,
    Binary,
    BigInt,
    BigInt,
    BigInt,
    Nullable<BigInt>,
    BigInt,
    Nullable<Text>,
    Nullable<Text>,
    Nullable<Text>,
    Nullable<BigInt>,
);

macro_rules! select {
    ($from:literal) => {
        concat!(
            "SELECT id, subject, generation, attempts, next_at, first_failed_at, lost, \
             account, event_name, source_identifier, occurred_at FROM outbox ",
            $from
        )
    };
}

statement! {
    DueEffects = select!(
        "WHERE kind = ? AND account IS ? AND dead_at IS NULL AND lease IS NULL AND blocked = 0 \
         AND next_at <= ? ORDER BY next_at, id LIMIT ?"
    ),
    returns Columns
}

statement! {
    /// Those whose lease ended. They were claimed once, so an event among them is the oldest of
    /// its subject.
    Suspects = select!(
        "WHERE kind = ? AND account IS ? AND lease IS NOT NULL AND next_at <= ? \
         ORDER BY next_at, id LIMIT 1"
    ),
    returns Columns
}

statement! {
    /// Of the events of one subject only the oldest, whatever has become of it. What waits behind
    /// a dead one is not in the index; what waits behind another is passed by.
    DueEvents = select!(
        "WHERE kind = 'event' AND account IS NULL AND dead_at IS NULL AND lease IS NULL \
         AND blocked = 0 AND next_at <= ? AND NOT EXISTS (SELECT 1 FROM outbox AS earlier WHERE earlier.kind = 'event' \
         AND earlier.subject = outbox.subject AND earlier.id < outbox.id) \
         ORDER BY next_at, id LIMIT ?"
    ),
    returns Columns
}

#[derive(Queryable)]
struct DueRow {
    id: i64,
    subject: Vec<u8>,
    generation: i64,
    attempts: i64,
    next_at: i64,
    first_failed_at: Option<i64>,
    lost: i64,
    account: Option<String>,
    event_name: Option<String>,
    source_identifier: Option<String>,
    occurred_at: Option<i64>,
}

/// A task that may be claimed.
pub(super) struct Due {
    kind: Kind,
    row: DueRow,
}

/// Due tasks of these queues, the longest due first.
pub(super) fn due(
    conn: &mut SqliteConnection,
    queues: &[Queue],
    limit: usize,
    now: OffsetDateTime,
) -> Result<Vec<Due>, Failure> {
    let now = micros(now).into();
    let at_most = i64::try_from(limit).unwrap_or(i64::MAX).into();
    let mut due = Vec::new();
    for queue in queues {
        let kind = queue.kind();
        let rows: Vec<DueRow> = if kind == Kind::Event {
            statement::load::<DueEvents, _>(conn, &[now, at_most])?
        } else {
            let values = [kind.as_str().into(), queue.lane().into(), now, at_most];
            statement::load::<DueEffects, _>(conn, &values)?
        };
        due.extend(rows.into_iter().map(|row| Due { kind, row }));
    }
    due.sort_unstable_by_key(|due| (due.row.next_at, due.row.id));
    due.truncate(limit);
    Ok(due)
}

/// The longest due task of these queues whose lease ended, with that claim counted.
pub(super) fn suspect(
    conn: &mut SqliteConnection,
    queues: &[Queue],
    now: OffsetDateTime,
) -> Result<Option<Due>, Failure> {
    let mut suspects = Vec::new();
    for queue in queues {
        let kind = queue.kind();
        let values = [
            kind.as_str().into(),
            queue.lane().into(),
            micros(now).into(),
        ];
        let rows: Vec<DueRow> = statement::load::<Suspects, _>(conn, &values)?;
        suspects.extend(rows.into_iter().map(|row| Due { kind, row }));
    }
    let first = suspects
        .into_iter()
        .min_by_key(|due| (due.row.next_at, due.row.id));
    Ok(first.map(|mut due| {
        due.row.lost += 1;
        due
    }))
}

statement! {
    Claim =
    "UPDATE outbox SET lease = ?, next_at = ?, lost = ?, attempts = attempts + 1 WHERE id = ?"
}

/// Claims tasks that were found in the same transaction.
pub(super) fn claim(
    conn: &mut SqliteConnection,
    due: Vec<Due>,
    lease: Uuid,
    until: OffsetDateTime,
) -> Result<Vec<Claimed>, Failure> {
    let mut claimed = Vec::with_capacity(due.len());
    for Due { kind, row } in due {
        let attempts = count(row.attempts, "outbox.attempts")?.saturating_add(1);
        execute::<Claim>(
            conn,
            &[
                (&lease).into(),
                micros(until).into(),
                row.lost.into(),
                row.id.into(),
            ],
        )?;
        claimed.push(Claimed {
            receipt: Receipt {
                task: TaskId(row.id),
                generation: row.generation,
                lease,
            },
            attempts,
            first_failed_at: optional_time(row.first_failed_at, "outbox.first_failed_at")?,
            lost: count(row.lost, "outbox.lost")?,
            work: StoredWork {
                kind,
                subject: uuid(&row.subject, "outbox.subject")?,
                lane: row.account,
                event_name: row.event_name,
                source_identifier: row.source_identifier,
                occurred_at: optional_time(row.occurred_at, "outbox.occurred_at")?,
            }
            .try_into()?,
        });
    }
    Ok(claimed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::uses_index};

    #[tokio::test]
    async fn due_tasks_are_found_in_order() {
        uses_index(DueEffects::text(), "outbox_due").await;
        uses_index(DueEvents::text(), "outbox_due").await;
        uses_index(Suspects::text(), "outbox_leased").await;
    }

    #[tokio::test]
    async fn earlier_events_are_found_by_their_subject() {
        uses_index(DueEvents::text(), "outbox_events").await;
    }
}
