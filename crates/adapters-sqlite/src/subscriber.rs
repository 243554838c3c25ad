//! How a commit of the newsletter is put together; the rest is `sql_common::subscriber`.

use std::collections::HashSet;

use domain::store::Retention;
use newsletter::store::{StoreError, WriteSet};
use sql_common::subscriber;

use crate::{SqliteStore, commit};

impl SqliteStore {
    /// Writes a commit, all of it or nothing. Erased people go from the write-ahead log, too; if it
    /// is in use, they go with the next [`overwrite_deleted`](Retention::overwrite_deleted).
    pub(crate) async fn commit_subscribers(&self, writes: WriteSet) -> Result<(), StoreError> {
        let erases = !writes.purges.is_empty();
        self.transaction(async move |conn| {
            subscriber::write(conn, &writes).await?;
            commit::write_tasks(conn, &writes.tasks, &HashSet::new()).await
        })
        .await?;
        if erases && self.overwrite_deleted().await != Ok(true) {
            tracing::info!("the write-ahead log is in use and still has people who were erased");
        }
        Ok(())
    }
}
