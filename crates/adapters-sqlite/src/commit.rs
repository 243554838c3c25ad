//! The `Store` port for postings: loads what a batch names, and commits each write set in one
//! transaction.

use std::collections::HashSet;

use async_trait::async_trait;
use diesel::SqliteConnection;
use domain::{
    posting::duplicate::{Candidate, Fingerprint},
    store::{Snapshot, Store, WriteSet},
};
use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError, outbox::TaskWrites};
use sql_common::{audit, catalogue, executor::at_once, posting::write_decisions};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{SqliteStore, company, duplicate, error::Failure, event, outbox, posting};

#[async_trait]
impl Store for SqliteStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError> {
        let (identifiers, companies) = (identifiers.to_vec(), companies.to_vec());
        self.connections
            .read(move |conn| posting::load(conn, &identifiers, &companies))
            .await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
        let ids = ids.to_vec();
        self.connections
            .read(move |conn| posting::load_by_id(conn, &ids))
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

    async fn candidates(
        &self,
        fingerprints: &[Fingerprint],
        named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        let (fingerprints, named) = (fingerprints.to_vec(), named.to_vec());
        self.connections
            .read(move |conn| duplicate::candidates(conn, &fingerprints, &named))
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
            .read(move |conn| duplicate::copies(conn, &of, after, limit))
            .await
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections
            .read(move |conn| posting::overdue(conn, now, limit))
            .await
    }
}

/// Writes a whole commit: companies before the postings that refer to them, and ends of tasks last,
/// so that a task that asks for itself again becomes due again.
fn apply(conn: &mut SqliteConnection, writes: &WriteSet) -> Result<(), Failure> {
    at_once(catalogue::hold(conn, writes))?;
    if !posting::stand(conn, &writes.standing)? {
        return Err(StoreError::Conflict.into());
    }
    let mut unchanged = HashSet::new();
    for write in writes.companies.values() {
        if !company::upsert(conn, write)? {
            unchanged.insert(write.company.id.uuid());
        }
    }
    for posting in writes.postings.values() {
        posting::write(conn, posting)?;
    }
    at_once(write_decisions(conn, writes))?;
    duplicate::write(conn, &writes.fingerprints)?;
    write_tasks(conn, &writes.tasks, &unchanged)
}

/// Writes effects and events, settles tasks, and adds to the audit. Events of subjects that stayed
/// as they were are left out.
pub(crate) fn write_tasks(
    conn: &mut SqliteConnection,
    tasks: &TaskWrites,
    unchanged: &HashSet<Uuid>,
) -> Result<(), Failure> {
    for effect in &tasks.ended {
        outbox::end(conn, *effect)?;
    }
    for (effect, trace) in tasks.asked().zip(tasks.traces()) {
        outbox::ask(conn, effect, trace, tasks.at)?;
    }
    for event in &tasks.events {
        if !unchanged.contains(&event.subject.id()) {
            event::record(conn, event)?;
        }
    }
    for token in &tasks.done {
        outbox::finish(conn, token, tasks.at)?;
    }
    for (token, error) in &tasks.given_up {
        if !at_once(sql_common::outbox::give_up(conn, *token, error, tasks.at))? {
            return Err(StoreError::Conflict.into());
        }
    }
    Ok(at_once(audit::write(conn, &tasks.audit))?)
}
