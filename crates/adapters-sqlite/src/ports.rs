//! The ports that both stores implement in the same way.
use diesel::SqliteConnection;
use kernel::StoreError;
use sql_common::executor::{Outcome, at_once};

use crate::SqliteStore;

sql_common::accounts!(SqliteStore);
sql_common::attention!(SqliteStore);
sql_common::audit_log!(SqliteStore);
sql_common::catalogues!(SqliteStore);
sql_common::clients!(SqliteStore);
sql_common::console!(SqliteStore);
sql_common::sign_in!(SqliteStore);
sql_common::drafts!(SqliteStore);
sql_common::outbox!(SqliteStore);
sql_common::postings!(SqliteStore);
sql_common::reports!(SqliteStore);
sql_common::subscribers!(SqliteStore);
sql_common::webhooks!(SqliteStore);

pub(crate) trait Work<T>:
    AsyncFnOnce(&mut SqliteConnection) -> Outcome<T> + Send + 'static
{
}

impl<T, W> Work<T> for W where W: AsyncFnOnce(&mut SqliteConnection) -> Outcome<T> + Send + 'static {}

impl SqliteStore {
    pub(crate) async fn query<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.connections
            .read(move |conn| Ok(at_once(work(conn))?))
            .await
    }

    pub(crate) async fn transaction<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.connections
            .write(move |conn| Ok(at_once(work(conn))?))
            .await
    }

    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.transaction(work).await
    }

    pub(crate) async fn repeatable<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.transaction(work).await
    }
}
