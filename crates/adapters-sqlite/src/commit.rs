use domain::store::{Retention, WriteSet};
use kernel::{StoreError, attention::AttentionCheck};
use newsletter::store::WriteSet as SubscriberWrites;
use sql_common::{attention, commit, subscriber};

use crate::SqliteStore;

impl SqliteStore {
    pub(crate) async fn commit_postings(&self, writes: WriteSet) -> Result<(), StoreError> {
        self.transaction(async move |conn| commit::write(conn, &writes).await)
            .await
    }

    /// Writes a newsletter commit. Erased people also leave the write-ahead log; if it is in use,
    /// with the next [`overwrite_deleted`](Retention::overwrite_deleted).
    pub(crate) async fn commit_subscribers(
        &self,
        writes: SubscriberWrites,
    ) -> Result<(), StoreError> {
        let erases = !writes.purges.is_empty();
        self.transaction(async move |conn| subscriber::commit(conn, &writes).await)
            .await?;
        if erases && self.overwrite_deleted().await != Ok(true) {
            tracing::info!("the write-ahead log is in use and still has people who were erased");
        }
        Ok(())
    }

    pub(crate) async fn commit_check(&self, check: AttentionCheck) -> Result<(), StoreError> {
        self.transaction(async move |conn| attention::commit(conn, &check).await)
            .await
    }
}
