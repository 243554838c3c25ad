use kernel::StoreError;

use crate::{PostgresStore, connection::Work};

sql_common::ports!(PostgresStore);

impl PostgresStore {
    pub(crate) async fn query<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.connections.run(work).await
    }

    /// Runs a statement that may be repeated. If its answer is lost, it counts as not run.
    pub(crate) async fn repeatable<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.connections.run(work).await
    }

    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.connections.write(work).await
    }

    pub(crate) async fn transaction<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        self.connections.transaction(work).await
    }
}
