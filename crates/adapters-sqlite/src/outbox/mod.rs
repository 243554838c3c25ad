//! The `Outbox` port, on the table `outbox`.

mod claim;
mod overview;
mod write;

use async_trait::async_trait;
use kernel::{
    StoreError,
    audit::Entry,
    outbox::{
        Backlog, Claimed, Dismissal, Effect, Kind, Outbox, Queue, Receipt, Revive, SubjectTask,
        TaskId, TaskRow,
    },
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub(crate) use self::write::{ask, end, finish, give_up};
use crate::{SqliteStore, audit};

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

    async fn renew(&self, receipts: &[Receipt], until: OffsetDateTime) -> Result<(), StoreError> {
        let receipts = receipts.to_vec();
        self.connections
            .write(move |conn| write::renew(conn, &receipts, until))
            .await
    }

    async fn give_back(&self, receipts: &[Receipt], at: OffsetDateTime) -> Result<(), StoreError> {
        let receipts = receipts.to_vec();
        self.connections
            .write(move |conn| write::give_back(conn, &receipts, at))
            .await
    }

    async fn retry(
        &self,
        receipt: Receipt,
        next_at: OffsetDateTime,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let error = error.to_owned();
        self.connections
            .write(move |conn| write::retry(conn, &receipt, next_at, &error, now))
            .await
    }

    async fn give_up(
        &self,
        receipt: Receipt,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let error = error.to_owned();
        self.connections
            .write(move |conn| give_up(conn, &receipt, &error, now).map(|_| ()))
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
                    audit::write(conn, &entry.with("tasks", revived))?;
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
                    audit::write(conn, &dismissal.entry(task))?;
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
