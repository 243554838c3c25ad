//! The store's port: loading what a batch names, and one transaction for each write set.

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use domain::{
    company::CompanyId,
    posting::{PostingId, SourceIdentifier},
    store::{Known, Store, StoreError, WriteSet},
};
use time::OffsetDateTime;

use crate::{PostgresStore, company, error::Failure, outbox, posting};

#[async_trait]
impl Store for PostgresStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Known, StoreError> {
        let (identifiers, companies) = (identifiers.to_vec(), companies.to_vec());
        self.connections
            .run(async move |conn| posting::load(conn, &identifiers, &companies).await)
            .await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Known, StoreError> {
        let ids = ids.to_vec();
        self.connections
            .run(async move |conn| posting::load_by_id(conn, &ids).await)
            .await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        self.connections
            .transaction(async move |conn| apply(conn, &writes).await)
            .await
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .run(async move |conn| posting::overdue(conn, now, limit).await)
            .await
    }
}

/// Writes everything, in the order in which every commit locks: companies (before the postings
/// that refer to them), postings, tasks. Finished tasks come last, so that one that asks for
/// itself again is due once more.
///
/// However large the write set is, each step is one statement, and a step with nothing to
/// write is none.
async fn apply(conn: &mut AsyncPgConnection, writes: &WriteSet) -> Result<(), Failure> {
    company::upsert(conn, writes).await?;
    posting::write(conn, writes).await?;
    outbox::write(conn, writes).await
}
