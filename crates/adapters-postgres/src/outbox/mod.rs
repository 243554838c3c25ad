//! The `Outbox` port, on the table `outbox`.
//!
//! A statement that locks several rows locks them in the order of (`kind`, `subject`, `id`), which
//! never change, so deadlocks cannot happen. Claims skip locked rows.

mod claim;
mod overview;
mod write;

use async_trait::async_trait;
use kernel::{
    StoreError,
    audit::Entry,
    outbox::{
        Backlog, ClaimToken, Claimed, Dismissal, Effect, Kind, Outbox, Queue, Revive, SubjectTask,
        TaskId, TaskRow,
    },
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use self::claim::Which;
pub(crate) use self::write::{columns, end, finish, give_up, lock};
use crate::PostgresStore;
use sql_common::audit;

#[async_trait]
impl Outbox for PostgresStore {
    async fn claim(
        &self,
        queue: Queue,
        limit: usize,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Vec<Claimed>, StoreError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .run(async move |conn| {
                let which = Which::Due(limit);
                claim::claim(conn, queue, which, lease_id, now, now + lease).await
            })
            .await
    }

    async fn has_suspect(&self, queue: Queue, now: OffsetDateTime) -> Result<bool, StoreError> {
        self.connections
            .run(async move |conn| claim::has_suspect(conn, queue, now).await)
            .await
    }

    async fn claim_suspect(
        &self,
        queue: Queue,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Option<Claimed>, StoreError> {
        let claimed = self
            .connections
            .run(async move |conn| {
                let which = Which::Suspect;
                claim::claim(conn, queue, which, lease_id, now, now + lease).await
            })
            .await?;
        Ok(claimed.into_iter().next())
    }

    async fn renew(&self, tokens: &[ClaimToken], until: OffsetDateTime) -> Result<(), StoreError> {
        if tokens.is_empty() {
            return Ok(());
        }
        let tokens = tokens.to_vec();
        self.connections
            .run(async move |conn| write::renew(conn, &tokens, until).await)
            .await
    }

    async fn give_back(&self, tokens: &[ClaimToken], at: OffsetDateTime) -> Result<(), StoreError> {
        if tokens.is_empty() {
            return Ok(());
        }
        let tokens = tokens.to_vec();
        self.connections
            .run(async move |conn| write::give_back(conn, &tokens, at).await)
            .await
    }

    async fn retry(
        &self,
        token: ClaimToken,
        next_at: OffsetDateTime,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let error = error.to_owned();
        self.connections
            .run(async move |conn| write::retry(conn, token, next_at, &error, now).await)
            .await
    }

    async fn give_up(
        &self,
        token: ClaimToken,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let error = error.to_owned();
        self.connections
            .run(async move |conn| give_up(conn, token, &error, now).await)
            .await
    }

    async fn list(
        &self,
        dead: bool,
        after: Option<TaskId>,
        limit: usize,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .run(async move |conn| overview::list(conn, dead, after, limit).await)
            .await
    }

    async fn dead_among(&self, effects: &[Effect]) -> Result<Vec<Effect>, StoreError> {
        let effects = effects.to_vec();
        self.connections
            .run(async move |conn| overview::dead_among(conn, &effects).await)
            .await
    }

    async fn tasks_of(
        &self,
        subject: Uuid,
        kinds: &[Kind],
        limit: usize,
    ) -> Result<Vec<SubjectTask>, StoreError> {
        let kinds = kinds.to_vec();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .run(async move |conn| overview::tasks_of(conn, subject, &kinds, limit).await)
            .await
    }

    async fn revive(
        &self,
        which: &Revive,
        entry: Option<&Entry>,
        now: OffsetDateTime,
    ) -> Result<u64, StoreError> {
        let (which, entry) = (which.clone(), entry.cloned());
        self.connections
            .transaction(async move |conn| {
                let revived = write::revive(conn, &which, now).await?;
                if let Some(entry) = entry.filter(|_| revived > 0) {
                    audit::write(conn, &[entry.with("tasks", revived)]).await?;
                }
                Ok(revived)
            })
            .await
    }

    async fn dismiss(&self, tasks: &[TaskId], dismissal: &Dismissal) -> Result<u64, StoreError> {
        let (tasks, dismissal) = (tasks.to_vec(), dismissal.clone());
        self.connections
            .transaction(async move |conn| {
                let dismissed = write::dismiss(conn, &tasks).await?;
                let entries: Vec<_> = dismissed.iter().map(|task| dismissal.entry(task)).collect();
                if !entries.is_empty() {
                    audit::write(conn, &entries).await?;
                }
                Ok(entries.len() as u64)
            })
            .await
    }

    async fn backlog(&self, kinds: &[Kind]) -> Result<Vec<Backlog>, StoreError> {
        let kinds = kinds.to_vec();
        self.connections
            .run(async move |conn| overview::backlog(conn, &kinds).await)
            .await
    }
}
