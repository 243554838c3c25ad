//! The store's port: loading what a batch names, and one transaction for each write set.
//!
//! What a commit adds and changes is one statement, `write.sql`; but subscribers, which are the
//! smaller part of the service's work, have statements of their own.

mod held;

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::sql_types::Text;
use diesel_async::AsyncPgConnection;
use domain::{
    company::CompanyId,
    posting::{PostingId, SourceIdentifier},
    store::{Known, RowLocks, Store, StoreError, WriteSet},
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
};
use sql_common::posting::{PostingRow, TextsRow};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    PostgresStore, audit, company,
    error::Failure,
    outbox, posting,
    statement::{Value, execute, load, statement},
    subscriber,
};

#[async_trait]
impl Store for PostgresStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Known, StoreError> {
        let (identifiers, companies) = (identifiers.to_vec(), companies.to_vec());
        self.connections
            .run(async move |conn| posting::load(conn, &identifiers, &companies).await)
            .await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Known, StoreError> {
        let ids = ids.to_vec();
        self.connections
            .run(async move |conn| posting::load_by_id(conn, &ids).await)
            .await
    }

    async fn held(&self, locks: &RowLocks) -> Result<RowLocks, StoreError> {
        let locks = locks.clone();
        self.connections
            .run(async move |conn| held::find(conn, &locks).await)
            .await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        let patience = self.connections.row_patience();
        if is_one_statement(&writes) {
            self.connections
                .write(async move |conn| {
                    let locks = posting::locks(&writes);
                    write(conn, &writes, locks, &patience).await
                })
                .await
        } else {
            self.connections
                .transaction(async move |conn| apply(conn, &writes, &patience).await)
                .await
        }
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .run(async move |conn| posting::overdue(conn, now, limit).await)
            .await
    }

    async fn load_subscribers(
        &self,
        emails: &[Email],
    ) -> Result<HashMap<Email, Subscriber>, StoreError> {
        let emails = emails.to_vec();
        self.connections
            .run(async move |conn| subscriber::load(conn, &emails).await)
            .await
    }

    async fn load_subscribers_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        let ids = ids.to_vec();
        self.connections
            .run(async move |conn| subscriber::load_by_id(conn, &ids).await)
            .await
    }

    async fn find_subscriber_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, StoreError> {
        let token = token.clone();
        self.connections
            .run(async move |conn| subscriber::find_by_token(conn, &token).await)
            .await
    }

    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError> {
        let emails = emails.to_vec();
        self.connections
            .run(async move |conn| subscriber::remembered(conn, &emails).await)
            .await
    }
}

/// Whether `write.sql` alone is the whole commit, which takes one round trip.
fn is_one_statement(writes: &WriteSet) -> bool {
    writes.done.is_empty() && writes.audit.is_empty() && !subscriber::are_concerned(writes)
}

statement! {
    Write = include_str!("write.sql"),
    over [PostingRow, TextsRow]
}

statement! {
    /// From here on the transaction waits for a lock as long as this says.
    Patience = "SELECT set_config('lock_timeout', ?, true)", returns (Text,)
}

/// Locks postings, and writes everything but subscribers, the end of finished tasks and the audit.
async fn write(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    locks: Vec<Uuid>,
    patience: &str,
) -> Result<(), Failure> {
    let companies: Vec<_> = writes.companies.values().collect();
    let postings = posting::Rows::of(writes);
    let effects = outbox::effects(writes);
    let mut values = vec![Value::Text(patience), Value::Uuids(locks)];
    values.extend(company::columns(&companies));
    values.extend(postings.columns());
    values.extend(outbox::columns(&effects, &writes.events, writes.at));
    values.extend(
        postings
            .counts()
            .map(|count| Value::BigInt(count_of(count))),
    );
    execute::<Write>(conn, &values).await?;
    Ok(())
}

/// Writes everything in a transaction that locks first what it says something about, and what it
/// finishes: the outbox after all that it is about, as in `write.sql`. Finished tasks come last, so
/// that one that asks for itself again is due once more.
async fn apply(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    patience: &str,
) -> Result<(), Failure> {
    posting::lock(conn, writes, patience).await?;
    if subscriber::are_concerned(writes) {
        load::<Patience, (String,)>(conn, &[Value::Text(patience)]).await?;
        subscriber::write(conn, writes).await?;
    }
    if !writes.done.is_empty() {
        outbox::lock(conn, &writes.done, &outbox::effects(writes)).await?;
    }
    if has_more(writes) {
        write(conn, writes, Vec::new(), patience).await?;
    }
    if !writes.done.is_empty() {
        outbox::finish(conn, &writes.done, writes.at).await?;
    }
    if !writes.audit.is_empty() {
        audit::write(conn, &writes.audit).await?;
    }
    Ok(())
}

/// Whether a commit does more than to write subscribers, to finish tasks and to record that.
fn has_more(writes: &WriteSet) -> bool {
    !(writes.companies.is_empty()
        && writes.postings.is_empty()
        && writes.effects.is_empty()
        && writes.events.is_empty())
}

fn count_of(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
