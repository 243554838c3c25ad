//! The ports whose implementation is that of both stores.

use kernel::{StoreError, attention::AttentionCheck};
use sql_common::attention;

use crate::{PostgresStore, commit, connection::Work};

sql_common::accounts!(PostgresStore);
sql_common::attention!(PostgresStore);
sql_common::audit_log!(PostgresStore);
sql_common::catalogues!(PostgresStore);
sql_common::clients!(PostgresStore);
sql_common::console!(PostgresStore);
sql_common::sign_in!(PostgresStore);
sql_common::drafts!(PostgresStore);
sql_common::outbox!(PostgresStore);
sql_common::postings!(PostgresStore);
sql_common::reports!(PostgresStore);
sql_common::subscribers!(PostgresStore);
sql_common::webhooks!(PostgresStore);

/// How ports that both stores share run their work.
impl PostgresStore {
    /// Runs work that only reads.
    pub(crate) async fn query<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.connections.run(work).await
    }

    /// Runs one statement that may be run again: if its answer is lost, it counts as not run.
    pub(crate) async fn repeatable<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.connections.run(work).await
    }

    /// Runs one statement that writes.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.connections.write(work).await
    }

    /// Runs several statements, all or none.
    pub(crate) async fn transaction<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.connections.transaction(work).await
    }
}

impl PostgresStore {
    /// Writes a check of what needs attention, with its events.
    pub(crate) async fn commit_check(&self, check: AttentionCheck) -> Result<(), StoreError> {
        let lock_timeout = self.connections.row_lock_timeout();
        self.transaction(async move |conn| {
            attention::write(conn, &check).await?;
            let mut rest = domain::store::WriteSet::new(check.at);
            rest.tasks = check.tasks();
            commit::finish(conn, &rest, &lock_timeout).await
        })
        .await
    }
}
