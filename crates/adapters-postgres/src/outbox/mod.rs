//! The table `outbox`, and the port to it.
//!
//! Rows are locked in the order of (`kind`, `subject`, `id`) wherever several are, which never
//! change: so no two callers wait for each other. Claims wait for nobody.

mod claim;
mod overview;
mod write;

use async_trait::async_trait;
use domain::{
    outbox::{Backlog, Claimed, Outbox, Queue, Receipt, Revive, TaskRow},
    store::StoreError,
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub(crate) use self::write::{columns, effects, finish, lock};
use crate::PostgresStore;

#[async_trait]
impl Outbox for PostgresStore {
    async fn claim(
        &self,
        queues: &[Queue],
        limit: usize,
        lease: Duration,
        lease_id: Uuid,
        now: OffsetDateTime,
    ) -> Result<Vec<Claimed>, StoreError> {
        if queues.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let queues = queues.to_vec();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .run(async move |conn| {
                claim::claim(conn, &queues, limit, lease_id, now, now + lease).await
            })
            .await
    }

    async fn renew(&self, receipts: &[Receipt], until: OffsetDateTime) -> Result<(), StoreError> {
        if receipts.is_empty() {
            return Ok(());
        }
        let receipts = receipts.to_vec();
        self.connections
            .run(async move |conn| write::renew(conn, &receipts, until).await)
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
            .run(async move |conn| write::retry(conn, receipt, next_at, &error, now).await)
            .await
    }

    async fn bury(
        &self,
        receipt: Receipt,
        error: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let error = error.to_owned();
        self.connections
            .run(async move |conn| write::bury(conn, receipt, &error, now).await)
            .await
    }

    async fn list(&self, dead: bool) -> Result<Vec<TaskRow>, StoreError> {
        self.connections
            .run(async move |conn| overview::list(conn, dead).await)
            .await
    }

    async fn revive(&self, which: &Revive, now: OffsetDateTime) -> Result<u64, StoreError> {
        let which = which.clone();
        self.connections
            .run(async move |conn| write::revive(conn, &which, now).await)
            .await
    }

    async fn backlog(&self) -> Result<Vec<Backlog>, StoreError> {
        self.connections
            .run(async |conn| overview::backlog(conn).await)
            .await
    }
}
