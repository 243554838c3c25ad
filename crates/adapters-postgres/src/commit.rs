//! Commits. Each is one transaction, whose statements are sent together.

use kernel::StoreError;
use sql_common::{commits::Commit, executor::Pipeline};

use crate::PostgresStore;

impl PostgresStore {
    /// Writes all of a commit, or nothing.
    pub(crate) async fn write_commit<C: Commit>(&self, writes: C) -> Result<C::Answer, StoreError> {
        let lock_timeout = self.connections.row_lock_timeout();
        self.write(async move |conn| {
            let mut pipeline = Pipeline::begin(conn, C::TABLES, &lock_timeout);
            let done = writes.write(&mut pipeline).await;
            pipeline.end(done).await
        })
        .await
    }
}
