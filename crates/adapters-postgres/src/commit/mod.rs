//! The `Store` port for postings: loads what a batch names, and commits each write set in one
//! transaction.
//!
//! All inserts and updates of a commit are one statement, `write.sql`.

mod locked;

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use domain::{
    company::FORMER_NAMES,
    posting::duplicate::{Candidate, Fingerprint},
    store::{LockedRows, RowLocks, Snapshot, Store, WriteSet},
};
use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError};
use sql_common::{
    audit, catalogue,
    posting::{PostingRow, TextsRow, has_decisions, write_decisions},
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    PostgresStore, company, duplicate,
    error::Failure,
    event, outbox, posting,
    statement::{Value, execute, statement},
};

#[async_trait]
impl Store for PostgresStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError> {
        let (identifiers, companies) = (identifiers.to_vec(), companies.to_vec());
        self.connections
            .run(async move |conn| posting::load(conn, &identifiers, &companies).await)
            .await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
        let ids = ids.to_vec();
        self.connections
            .run(async move |conn| posting::load_by_id(conn, &ids).await)
            .await
    }

    async fn candidates(
        &self,
        fingerprints: &[Fingerprint],
        named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        let (fingerprints, named) = (fingerprints.to_vec(), named.to_vec());
        self.connections
            .run(async move |conn| duplicate::candidates(conn, &fingerprints, &named).await)
            .await
    }

    async fn copies(
        &self,
        of: &[PostingId],
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        let of = of.to_vec();
        self.connections
            .run(async move |conn| duplicate::copies(conn, &of, after, limit).await)
            .await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        if writes.is_empty() {
            return Ok(());
        }
        let lock_timeout = self.connections.row_lock_timeout();
        if is_one_statement(&writes) {
            self.connections
                .write(async move |conn| {
                    let locks = posting::locks(&writes);
                    write(conn, &writes, locks, &lock_timeout).await
                })
                .await
        } else {
            self.connections
                .transaction(async move |conn| apply(conn, &writes, &lock_timeout).await)
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
}

#[async_trait]
impl LockedRows for PostgresStore {
    async fn locked_rows(&self, locks: &RowLocks) -> Result<RowLocks, StoreError> {
        let locks = locks.clone();
        self.connections
            .run(async move |conn| locked::find(conn, &locks).await)
            .await
    }
}

/// Whether `write.sql` alone can carry the whole commit, in one round trip.
fn is_one_statement(writes: &WriteSet) -> bool {
    writes.import.is_none()
        && writes.standing.is_empty()
        && writes.fingerprints.is_empty()
        && !writes.tasks.settles_tasks()
        && writes.tasks.audit.is_empty()
        && !has_decisions(writes)
}

statement! {
    Write = include_str!("write.sql"),
    over [PostingRow, TextsRow]
}

/// Locks postings, and writes all but decisions, fingerprints, finished tasks and audit entries.
async fn write(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    locks: Vec<Uuid>,
    lock_timeout: &str,
) -> Result<(), Failure> {
    let companies: Vec<_> = writes.companies.values().collect();
    let postings = posting::Rows::of(writes);
    let effects: Vec<_> = writes.tasks.asked().collect();
    let traces: Vec<_> = writes.tasks.traces().collect();
    let mut values = vec![Value::from(lock_timeout), Value::Uuids(locks)];
    values.extend(company::columns(&companies));
    values.push(Value::from(count_of(FORMER_NAMES)));
    values.extend(postings.columns());
    values.extend(outbox::columns(&effects, &traces, writes.tasks.at));
    values.extend(event::columns(&writes.tasks.events));
    values.extend(postings.counts().map(|count| Value::from(count_of(count))));
    execute::<Write>(conn, &values).await?;
    Ok(())
}

/// Writes a whole commit inside a transaction, after locking the lease that it needs and the
/// postings that it concerns.
async fn apply(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    lock_timeout: &str,
) -> Result<(), Failure> {
    catalogue::hold(conn, writes).await?;
    posting::lock(conn, writes, lock_timeout).await?;
    finish(conn, writes, lock_timeout).await
}

/// Writes a whole commit inside a transaction that has locked the postings or subscribers
/// concerned.
///
/// Locks settled tasks after those rows, in the lock order of `write.sql`. Finishes tasks last, so
/// that a task that asks for itself again becomes due again.
pub(crate) async fn finish(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    lock_timeout: &str,
) -> Result<(), Failure> {
    let tasks = &writes.tasks;
    let tokens: Vec<_> = tasks.tokens().copied().collect();
    if !tokens.is_empty() {
        let effects: Vec<_> = tasks.asked().collect();
        outbox::lock(conn, &tokens, &effects).await?;
    }
    if !tasks.ended.is_empty() {
        outbox::end(conn, &tasks.ended).await?;
    }
    if tasks.adds_tasks() || !(writes.companies.is_empty() && writes.postings.is_empty()) {
        write(conn, writes, Vec::new(), lock_timeout).await?;
    }
    write_decisions(conn, writes).await?;
    duplicate::write(conn, &writes.fingerprints).await?;
    if !tasks.done.is_empty() {
        outbox::finish(conn, &tasks.done, tasks.at).await?;
    }
    for (token, error) in &tasks.given_up {
        sql_common::outbox::give_up(conn, *token, error, tasks.at).await?;
    }
    if !tasks.audit.is_empty() {
        audit::write(conn, &tasks.audit).await?;
    }
    Ok(())
}

fn count_of(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
