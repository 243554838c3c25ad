//! The `Outbox` port, on the table `outbox`.

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

pub(crate) use self::write::{ask, end, finish, give_up};
use crate::SqliteStore;
use sql_common::{audit, executor::at_once};

#[async_trait]
impl Outbox for SqliteStore {
    async fn claim(
        &self,
        queue: Queue,
        limit: usize,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Vec<Claimed>, StoreError> {
        // Reads first: workers poll often, and mostly find nothing. Only a claim takes the write
        // lock.
        let due = self
            .connections
            .read(move |conn| claim::due(conn, queue, 1, now))
            .await?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        self.connections
            .write(move |conn| {
                let due = claim::due(conn, queue, limit, now)?;
                claim::claim(conn, queue, due, lease_id, now + lease)
            })
            .await
    }

    async fn has_suspect(&self, queue: Queue, now: OffsetDateTime) -> Result<bool, StoreError> {
        self.connections
            .read(move |conn| Ok(claim::suspect(conn, queue, now)?.is_some()))
            .await
    }

    async fn claim_suspect(
        &self,
        queue: Queue,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Option<Claimed>, StoreError> {
        self.connections
            .write(move |conn| {
                let suspect = claim::suspect(conn, queue, now)?;
                let suspect = suspect.into_iter().collect();
                let claimed = claim::claim(conn, queue, suspect, lease_id, now + lease)?;
                Ok(claimed.into_iter().next())
            })
            .await
    }

    async fn renew(&self, tokens: &[ClaimToken], until: OffsetDateTime) -> Result<(), StoreError> {
        let tokens = tokens.to_vec();
        self.connections
            .write(move |conn| write::renew(conn, &tokens, until))
            .await
    }

    async fn give_back(&self, tokens: &[ClaimToken], at: OffsetDateTime) -> Result<(), StoreError> {
        let tokens = tokens.to_vec();
        self.connections
            .write(move |conn| write::give_back(conn, &tokens, at))
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
            .write(move |conn| write::retry(conn, &token, next_at, &error, now))
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
            .write(move |conn| give_up(conn, &token, &error, now).map(|_| ()))
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
            .read(move |conn| overview::list(conn, dead, after, limit))
            .await
    }

    async fn dead_among(&self, effects: &[Effect]) -> Result<Vec<Effect>, StoreError> {
        let effects = effects.to_vec();
        self.connections
            .read(move |conn| overview::dead_among(conn, &effects))
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
            .read(move |conn| overview::tasks_of(conn, subject, &kinds, limit))
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
            .write(move |conn| {
                let revived = write::revive(conn, &which, now)?;
                if let Some(entry) = entry.filter(|_| revived > 0) {
                    at_once(audit::write(conn, &[entry.with("tasks", revived)]))?;
                }
                Ok(revived)
            })
            .await
    }

    async fn dismiss(&self, tasks: &[TaskId], dismissal: &Dismissal) -> Result<u64, StoreError> {
        let (tasks, dismissal) = (tasks.to_vec(), dismissal.clone());
        self.connections
            .write(move |conn| {
                let dismissed = write::dismiss(conn, &tasks)?;
                for task in &dismissed {
                    at_once(audit::write(conn, &[dismissal.entry(task)]))?;
                }
                Ok(dismissed.len() as u64)
            })
            .await
    }

    async fn backlog(&self, kinds: &[Kind]) -> Result<Vec<Backlog>, StoreError> {
        let kinds = kinds.to_vec();
        self.connections
            .read(move |conn| overview::backlog(conn, &kinds))
            .await
    }
}
