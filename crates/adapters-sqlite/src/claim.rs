use kernel::{
    StoreError,
    outbox::{Claimed, Queue},
};
use sql_common::{
    binds,
    executor::{Executor, Outcome},
    outbox::ClaimedRow,
    statement,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SqliteStore;

macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT {outbox read} FROM outbox
            WHERE kind = :kind AND lane IS :lane AND next_at <= :now AND ",
            $condition,
            " ORDER BY next_at, id LIMIT :limit"
        )
    };
}

statement! {
    Due = select!("dead_at IS NULL AND lease IS NULL"), returns ClaimedRow;
    Crashed = select!("lease IS NOT NULL"), returns ClaimedRow
}

async fn due(
    conn: &mut impl Executor,
    queue: Queue,
    limit: usize,
    now: OffsetDateTime,
) -> Outcome<Vec<ClaimedRow>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let asked = binds! { kind: queue.kind().as_str(), lane: queue.lane(), now, limit };
    conn.load::<Due>(asked).await
}

/// Finds the longest overdue task whose lease has expired. Counts the lost attempt.
async fn crashed(
    conn: &mut impl Executor,
    queue: Queue,
    now: OffsetDateTime,
) -> Outcome<Vec<ClaimedRow>> {
    let asked = binds! { kind: queue.kind().as_str(), lane: queue.lane(), now, limit: 1_i64 };
    let mut rows = conn.load::<Crashed>(asked).await?;
    for row in &mut rows {
        row.lost += 1;
    }
    Ok(rows)
}

statement! {
    Claim = r"
        UPDATE outbox SET lease = :lease, next_at = :until, lost = :lost, attempts = attempts + 1
        WHERE id = :id"
}

async fn claim(
    conn: &mut impl Executor,
    queue: Queue,
    due: Vec<ClaimedRow>,
    lease: Uuid,
    until: OffsetDateTime,
) -> Outcome<Vec<Claimed>> {
    let mut claimed = Vec::with_capacity(due.len());
    for row in due {
        let (id, lost) = (row.id, row.lost);
        let mut task = row.claimed(queue, lease)?;
        task.attempts = task.attempts.saturating_add(1);
        conn.execute::<Claim>(binds! { lease, until, lost, id })
            .await?;
        claimed.push(task);
    }
    Ok(claimed)
}

impl SqliteStore {
    pub(crate) async fn look_for_crashed(
        &self,
        queue: Queue,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        self.query(async move |conn| Ok(!crashed(conn, queue, now).await?.is_empty()))
            .await
    }

    /// Claims due tasks. First reads only, because workers poll often and usually find nothing.
    /// Only a claim takes the write lock.
    pub(crate) async fn claim_due(
        &self,
        queue: Queue,
        limit: usize,
        lease: Uuid,
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<Vec<Claimed>, StoreError> {
        let found = self.query(async move |conn| due(conn, queue, 1, now).await);
        if found.await?.is_empty() {
            return Ok(Vec::new());
        }
        self.transaction(async move |conn| {
            let due = due(conn, queue, limit, now).await?;
            claim(conn, queue, due, lease, until).await
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
        self.transaction(async move |conn| {
            let crashed = crashed(conn, queue, now).await?;
            claim(conn, queue, crashed, lease, until).await
        })
        .await
    }
}
