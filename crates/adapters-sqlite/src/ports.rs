//! The ports that both stores implement in the same way.
use diesel::SqliteConnection;
use kernel::StoreError;
use sql_common::executor::{Outcome, at_once};

use crate::SqliteStore;

sql_common::ports!(SqliteStore);

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
