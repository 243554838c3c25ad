//! Commits: each in one transaction.

use domain::store::Retention;
use kernel::StoreError;
use sql_common::commits::Commit;

use crate::SqliteStore;

impl SqliteStore {
    /// Writes a commit, all of it or nothing. Erased people go from the write-ahead log, too; if it
    /// is in use, they go with the next [`overwrite_deleted`](Retention::overwrite_deleted).
    pub(crate) async fn write_commit<C: Commit>(&self, writes: C) -> Result<C::Answer, StoreError> {
        let erases = writes.erases();
        let answer = self
            .transaction(async move |conn| writes.write(conn).await)
            .await?;
        if erases && self.overwrite_deleted().await != Ok(true) {
            tracing::info!("the write-ahead log is in use, and still contains erased people");
        }
        Ok(answer)
    }
}
