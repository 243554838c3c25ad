use diesel::sql_types::Bool;
use kernel::{
    StoreError,
    outbox::{Claimed, Queue},
};
use sql_common::{
    binds,
    executor::{Executor as _, Outcome},
    outbox::ClaimedRow,
    statement,
    stored::most,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::PostgresStore;

/// Selects and claims tasks. Skips rows that another worker is claiming.
///
/// `coalesce(lane, '')` is the expression of the index. `MATERIALIZED` enforces the `LIMIT`.
macro_rules! claim {
    ($which:literal, $and:literal) => {
        concat!(
            "WITH due AS MATERIALIZED (
                SELECT task.id, task.next_at FROM outbox AS task
                WHERE task.kind = :kind AND coalesce(task.lane, '') = :lane AND ", $which, "
                    AND task.next_at <= :now
                ORDER BY task.next_at, task.id LIMIT :limit FOR UPDATE SKIP LOCKED
            )
            UPDATE outbox SET lease = :lease, next_at = :until, attempts = attempts + 1", $and, "
            FROM due WHERE outbox.id = due.id
            RETURNING outbox.id, subject, generation, attempts, due.next_at, first_failed_at, lost,
                trace_parent"
        )
    };
}

statement! {
    Claim = claim!("task.dead_at IS NULL AND task.lease IS NULL", ""),
    returns ClaimedRow;

    ClaimCrashed = claim!("task.lease IS NOT NULL", ", lost = lost + 1"),
    returns ClaimedRow;

    HasCrashed = r"
        SELECT EXISTS (
            SELECT FROM outbox AS task
            WHERE task.kind = :kind AND coalesce(task.lane, '') = :lane
                AND task.lease IS NOT NULL AND task.next_at <= :now
        )",
    returns (Bool,)
}

/// The claimed tasks of these rows, longest due first.
fn claimed(mut rows: Vec<ClaimedRow>, queue: Queue, lease: Uuid) -> Outcome<Vec<Claimed>> {
    rows.sort_unstable_by_key(|row| (row.next_at, row.id));
    let claimed = rows.into_iter().map(|row| row.claimed(queue, lease));
    Ok(claimed.collect::<Result<_, _>>()?)
}

impl PostgresStore {
    pub(crate) async fn look_for_crashed(
        &self,
        queue: Queue,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        self.query(async move |conn| {
            let (kind, lane) = (queue.kind().as_str(), queue.lane().unwrap_or_default());
            let asked = binds! { kind, lane, now };
            let found = conn.load::<HasCrashed>(asked).await?;
            Ok(found.iter().any(|(found,)| *found))
        })
        .await
    }

    pub(crate) async fn claim_due(
        &self,
        queue: Queue,
        limit: usize,
        lease: Uuid,
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<Vec<Claimed>, StoreError> {
        let limit = most(limit);
        self.repeatable(async move |conn| {
            let (kind, lane) = (queue.kind().as_str(), queue.lane().unwrap_or_default());
            let asked = binds! { kind, lane, now, limit, lease, until };
            claimed(conn.load::<Claim>(asked).await?, queue, lease)
        })
        .await
    }

    /// Claims the longest overdue task whose lease has expired.
    pub(crate) async fn claim_lost(
        &self,
        queue: Queue,
        lease: Uuid,
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<Vec<Claimed>, StoreError> {
        self.repeatable(async move |conn| {
            let (kind, lane) = (queue.kind().as_str(), queue.lane().unwrap_or_default());
            let asked = binds! { kind, lane, now, limit: 1_i64, lease, until };
            claimed(conn.load::<ClaimCrashed>(asked).await?, queue, lease)
        })
        .await
    }
}
