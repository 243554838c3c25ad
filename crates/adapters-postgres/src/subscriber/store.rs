//! The newsletter's `Store` port: loads subscribers, and commits each write set in one transaction.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::sql_types::Text;
use diesel_async::AsyncPgConnection;
use newsletter::{
    store::{Store, StoreError, WriteSet},
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
};

use super::{erasure, read, write};
use crate::{
    PostgresStore, commit,
    error::Failure,
    statement::{Value, load, statement},
};

#[async_trait]
impl Store for PostgresStore {
    async fn load(&self, emails: &[Email]) -> Result<HashMap<Email, Subscriber>, StoreError> {
        let emails = emails.to_vec();
        self.connections
            .run(async move |conn| read::load(conn, &emails).await)
            .await
    }

    async fn load_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        let ids = ids.to_vec();
        self.connections
            .run(async move |conn| read::load_by_id(conn, &ids).await)
            .await
    }

    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, StoreError> {
        let token = token.clone();
        self.connections
            .run(async move |conn| read::find_by_token(conn, &token).await)
            .await
    }

    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError> {
        let emails = emails.to_vec();
        self.connections
            .run(async move |conn| erasure::remembered(conn, &emails).await)
            .await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        let lock_timeout = self.connections.row_lock_timeout();
        self.connections
            .transaction(async move |conn| apply(conn, &writes, &lock_timeout).await)
            .await
    }
}

statement! {
    /// Sets the transaction's `lock_timeout`.
    SetLockTimeout = "SELECT set_config('lock_timeout', ?, true)", returns (Text,)
}

/// Writes a whole commit inside a transaction, subscribers first.
async fn apply(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    lock_timeout: &str,
) -> Result<(), Failure> {
    if !writes.has_only_tasks() {
        load::<SetLockTimeout, (String,)>(conn, &[Value::from(lock_timeout)]).await?;
        write::write(conn, writes).await?;
    }
    let mut rest = domain::store::WriteSet::new(writes.tasks.at);
    rest.tasks = writes.tasks.clone();
    commit::finish(conn, &rest, lock_timeout).await
}
