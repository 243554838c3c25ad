//! The newsletter's `Store` port: loads subscribers, and commits each write set in one transaction.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use diesel::SqliteConnection;
use newsletter::{
    store::{Store, StoreError, WriteSet},
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
};

use super::{erasure, read, write};
use crate::{SqliteStore, commit, error::Failure};

#[async_trait]
impl Store for SqliteStore {
    async fn load(&self, emails: &[Email]) -> Result<HashMap<Email, Subscriber>, StoreError> {
        let emails = emails.to_vec();
        self.connections
            .read(move |conn| read::load(conn, &emails))
            .await
    }

    async fn load_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        let ids = ids.to_vec();
        self.connections
            .read(move |conn| read::load_by_id(conn, &ids))
            .await
    }

    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, StoreError> {
        let token = token.clone();
        self.connections
            .read(move |conn| read::find_by_token(conn, &token))
            .await
    }

    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError> {
        let emails = emails.to_vec();
        self.connections
            .read(move |conn| erasure::remembered(conn, &emails))
            .await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        self.connections
            .write(move |conn| apply(conn, &writes))
            .await
    }
}

/// Writes a whole commit: rows that give up an address before rows that take it over.
fn apply(conn: &mut SqliteConnection, writes: &WriteSet) -> Result<(), Failure> {
    erasure::write(conn, writes)?;
    let (changed, new): (Vec<_>, Vec<_>) = writes
        .subscribers
        .values()
        .partition(|write| write.expected.is_some());
    for row in changed.into_iter().chain(new) {
        write::write(conn, row)?;
    }
    commit::write_tasks(conn, &writes.tasks, &HashSet::new())
}
