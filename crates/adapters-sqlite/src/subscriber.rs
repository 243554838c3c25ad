//! How a commit of the newsletter is put together; the rest is `sql_common::subscriber`.

use std::collections::HashSet;

use newsletter::store::{StoreError, WriteSet};
use sql_common::subscriber;

use crate::{SqliteStore, commit};

impl SqliteStore {
    /// Writes a commit, all of it or nothing.
    pub(crate) async fn commit_subscribers(&self, writes: WriteSet) -> Result<(), StoreError> {
        self.transaction(async move |conn| {
            subscriber::write(conn, &writes).await?;
            commit::write_tasks(conn, &writes.tasks, &HashSet::new()).await
        })
        .await
    }
}
