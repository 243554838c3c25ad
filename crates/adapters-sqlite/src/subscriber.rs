//! How a commit of the newsletter is put together; the rest is `sql_common::subscriber`.

use std::collections::HashSet;

use newsletter::store::{StoreError, WriteSet};
use sql_common::{executor::at_once, subscriber};

use crate::{SqliteStore, commit};

impl SqliteStore {
    /// Writes a commit, all of it or nothing.
    pub(crate) async fn commit_subscribers(&self, writes: WriteSet) -> Result<(), StoreError> {
        self.connections
            .write(move |conn| {
                at_once(subscriber::write(conn, &writes))?;
                commit::write_tasks(conn, &writes.tasks, &HashSet::new())
            })
            .await
    }
}
