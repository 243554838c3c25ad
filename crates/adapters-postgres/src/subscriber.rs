//! How a commit of the newsletter is put together; the rest is `sql_common::subscriber`.

use diesel::sql_types::Text;
use diesel_async::AsyncPgConnection;
use newsletter::store::{StoreError, WriteSet};
use sql_common::{binds, executor::Executor as _, statement, subscriber};

use crate::{PostgresStore, commit, error::Failure};

statement! {
    /// Sets the transaction's `lock_timeout`.
    SetLockTimeout = "SELECT set_config('lock_timeout', :lock_timeout, true)", returns (Text,)
}

/// Writes a whole commit inside a transaction, subscribers first.
async fn apply(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    lock_timeout: &str,
) -> Result<(), Failure> {
    if !writes.has_only_tasks() {
        conn.load::<SetLockTimeout, (String,)>(binds! { lock_timeout })
            .await?;
        subscriber::write(conn, writes).await?;
    }
    let mut rest = domain::store::WriteSet::new(writes.tasks.at);
    rest.tasks = writes.tasks.clone();
    commit::finish(conn, &rest, lock_timeout).await
}

impl PostgresStore {
    /// Writes a commit, all of it or nothing.
    pub(crate) async fn commit_subscribers(&self, writes: WriteSet) -> Result<(), StoreError> {
        let lock_timeout = self.connections.row_lock_timeout();
        self.transaction(async move |conn| apply(conn, &writes, &lock_timeout).await)
            .await
    }
}
