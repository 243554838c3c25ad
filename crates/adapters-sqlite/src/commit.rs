//! Commits. Each is one transaction.

use domain::store::Retention;
use kernel::StoreError;
use sql_common::commits::Commit;

use crate::SqliteStore;

impl SqliteStore {
    /// Writes all of a commit, or nothing. Also removes erased people from the write-ahead log. If
    /// the log is in use, the next [`overwrite_deleted`](Retention::overwrite_deleted) does it.
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
