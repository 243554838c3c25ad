use domain::store::WriteSet;
use kernel::{StoreError, attention::AttentionCheck};
use newsletter::store::WriteSet as SubscriberWrites;
use sql_common::{attention, commit, executor::Pipeline, subscriber};

use crate::PostgresStore;

impl PostgresStore {
    pub(crate) async fn commit_postings(&self, writes: WriteSet) -> Result<(), StoreError> {
        let lock_timeout = self.connections.row_lock_timeout();
        self.write(async move |conn| {
            let mut pipeline = Pipeline::begin(
                conn,
                "postings, posting_history, outbox, events",
                &lock_timeout,
            );
            let done = commit::write(&mut pipeline, &writes).await;
            Ok(pipeline.end(done).await?)
        })
        .await
    }

    pub(crate) async fn commit_subscribers(
        &self,
        writes: SubscriberWrites,
    ) -> Result<(), StoreError> {
        let lock_timeout = self.connections.row_lock_timeout();
        self.write(async move |conn| {
            let mut pipeline = Pipeline::begin(conn, "subscribers, outbox", &lock_timeout);
            let done = subscriber::commit(&mut pipeline, &writes).await;
            Ok(pipeline.end(done).await?)
        })
        .await
    }

    pub(crate) async fn commit_check(&self, check: AttentionCheck) -> Result<(), StoreError> {
        let lock_timeout = self.connections.row_lock_timeout();
        self.write(async move |conn| {
            let mut pipeline = Pipeline::begin(conn, "outbox, events", &lock_timeout);
            let done = attention::commit(&mut pipeline, &check).await;
            Ok(pipeline.end(done).await?)
        })
        .await
    }
}
