//! Commits of postings: each write set in one transaction.

use std::collections::HashSet;

use domain::store::WriteSet;
use kernel::{StoreError, outbox::TaskWrites};
use sql_common::{
    audit, catalogue, duplicate,
    executor::{Executor, Outcome},
    outbox::give_up,
    posting::{trim_histories, write_decisions},
    report,
};
use uuid::Uuid;

use crate::{SqliteStore, company, event, outbox, posting};

impl SqliteStore {
    /// Writes a commit, all of it or nothing.
    pub(crate) async fn commit_postings(&self, writes: WriteSet) -> Result<(), StoreError> {
        self.transaction(async move |conn| apply(conn, &writes).await)
            .await
    }
}

/// Writes a whole commit: companies before the postings that refer to them, and ends of tasks last,
/// so that a task that asks for itself again becomes due again.
async fn apply(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    catalogue::hold(conn, writes).await?;
    if !posting::stand(conn, &writes.standing).await? {
        return Err(StoreError::Conflict.into());
    }
    let mut unchanged = HashSet::new();
    for write in writes.companies.values() {
        if !company::upsert(conn, write).await? {
            unchanged.insert(write.company.id.uuid());
        }
    }
    for posting in writes.postings.values() {
        posting::write(conn, posting).await?;
    }
    trim_histories(conn, writes).await?;
    write_decisions(conn, writes).await?;
    duplicate::write(conn, &writes.fingerprints).await?;
    duplicate::tell_apart(conn, &writes.told_apart).await?;
    sql_common::company::write_pairs(conn, writes).await?;
    report::write(conn, &writes.reports).await?;
    write_tasks(conn, &writes.tasks, &unchanged).await
}

/// Writes effects and events, settles tasks, and adds to the audit. Events of subjects that stayed
/// as they were are left out.
pub(crate) async fn write_tasks(
    conn: &mut impl Executor,
    tasks: &TaskWrites,
    unchanged: &HashSet<Uuid>,
) -> Outcome<()> {
    outbox::ask(conn, tasks).await?;
    for event in &tasks.events {
        if !unchanged.contains(&event.subject.id()) {
            event::record(conn, event).await?;
        }
    }
    for token in &tasks.done {
        outbox::finish(conn, token, tasks.at).await?;
    }
    for (token, error) in &tasks.given_up {
        if !give_up(conn, *token, error, tasks.at).await? {
            return Err(StoreError::Conflict.into());
        }
    }
    audit::write(conn, &tasks.audit).await
}
