//! The `Store` port for postings: loads what a batch names, and commits each write set in one
//! transaction.
//!
//! All inserts and updates of a commit are one statement, `write.sql`, in the shape that it needs.

mod lock;
mod locked;
mod shape;

use diesel_async::AsyncPgConnection;
use domain::{company::FORMER_NAMES, store::WriteSet};
use kernel::StoreError;
use sql_common::{
    audit,
    batch::changed,
    binds, catalogue,
    company::{self, CompanySent, SentCompany},
    duplicate, each,
    event::EventRow,
    executor::Executor as _,
    outbox::{EffectAsked, each_effect, effects_of},
    posting::{
        HistoryRow, PostingRow, TextsRow, VersionSent, has_decisions, history_of, trim_histories,
        trimmed, write_decisions,
    },
    report,
    stored::most,
};
use uuid::Uuid;

use self::shape::Shape;
use crate::{
    PostgresStore,
    error::Failure,
    outbox,
    statement::{NamedValue, Value, arrays},
};

impl PostgresStore {
    /// Writes a commit, all of it or nothing.
    pub(crate) async fn commit_postings(&self, writes: WriteSet) -> Result<(), StoreError> {
        let lock_timeout = self.connections.row_lock_timeout();
        if is_one_statement(&writes) {
            self.write(async move |conn| {
                let locks = lock::locks(&writes);
                write(conn, &writes, locks, &lock_timeout).await
            })
            .await
        } else {
            self.transaction(async move |conn| apply(conn, &writes, &lock_timeout).await)
                .await
        }
    }
}

/// Whether `write.sql` alone can carry the whole commit, in one round trip.
fn is_one_statement(writes: &WriteSet) -> bool {
    writes.missed.is_empty()
        && writes.standing.is_empty()
        && writes.fingerprints.is_empty()
        && writes.told_apart.is_empty()
        && writes.pairs.is_empty()
        && writes.apart.is_empty()
        && writes.reports.is_empty()
        && !writes.tasks.settles_tasks()
        && writes.tasks.audit.is_empty()
        && !has_decisions(writes)
        && trimmed(writes).next().is_none()
}

/// Locks postings, and writes all but decisions, fingerprints, finished tasks and audit entries.
/// Existing postings are written by id, and new ones by identifier.
async fn write(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    locks: Vec<Uuid>,
    lock_timeout: &str,
) -> Result<(), Failure> {
    let postings = || writes.postings.values();
    let (old, mut new): (Vec<_>, Vec<_>) = postings().partition(|write| write.expected.is_some());
    new.sort_unstable_by_key(|write| &write.posting.source_identifier);
    let enriched: Vec<_> = postings()
        .filter(|write| write.enriched.is_some())
        .collect();
    let companies: Vec<_> = writes.companies.values().map(SentCompany::of).collect();
    let versions: Vec<_> = postings()
        .filter(|write| write.replaced.is_some())
        .collect();
    let history: Vec<_> = postings().flat_map(history_of).collect();
    let effects: Vec<_> = effects_of(&writes.tasks).collect();
    let changed_id = old.iter().map(|write| write.posting.id.uuid()).collect();
    let expected = old.iter().map(|write| write.expected).collect();
    let leased = writes.leases.iter().map(|lease| lease.catalogue.uuid());
    let holders = writes.leases.iter().map(|lease| lease.holder);
    let mut values: Vec<NamedValue<'_>> = binds! {
        lock_timeout,
        locked: Value::Uuids(locks),
        lease_catalogue: Value::Uuids(leased.collect()),
        lease_holder: Value::Uuids(holders.collect()),
        leases: most(writes.leases.len()),
    }
    .to_vec();
    values.extend(arrays::<CompanySent>(companies.iter()));
    values.push(("most_names", most(FORMER_NAMES).into()));
    values.extend(arrays::<PostingRow>(new.iter().copied()));
    values.push(("changed_id", Value::Uuids(changed_id)));
    values.extend(changed::<PostingRow>(old.iter().copied()));
    values.push(("expected", Value::BigInts(expected)));
    values.extend(arrays::<TextsRow>(enriched.iter().copied()));
    values.extend(arrays::<VersionSent>(versions.iter().copied()));
    values.extend(arrays::<HistoryRow>(history.iter()));
    values.extend(arrays::<EffectAsked>(effects.iter()));
    values.extend(arrays::<EventRow>(writes.tasks.events.iter()));
    values.push(("inserted", most(new.len()).into()));
    values.push(("updated", most(old.len()).into()));
    let is_whole = !(writes.companies.is_empty() && enriched.is_empty());
    let shape = match (new.is_empty(), old.is_empty()) {
        _ if !writes.leases.is_empty() => Shape::Leased,
        _ if is_whole => Shape::Whole,
        (false, true) => Shape::New,
        (true, false) => Shape::Changed,
        _ => Shape::Both,
    };
    shape::write(conn, shape, &values).await?;
    Ok(())
}

/// Writes a whole commit inside a transaction, after locking the leases that it needs and the
/// postings that it concerns.
async fn apply(
    conn: &mut AsyncPgConnection,
    writes: &WriteSet,
    lock_timeout: &str,
) -> Result<(), Failure> {
    catalogue::hold(conn, writes).await?;
    lock::lock(conn, writes, lock_timeout).await?;
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
    conn.execute_each::<outbox::End>(&each_effect(&tasks.ended), &[])
        .await?;
    if tasks.adds_tasks() || !(writes.companies.is_empty() && writes.postings.is_empty()) {
        write(conn, writes, Vec::new(), lock_timeout).await?;
    }
    trim_histories(conn, writes).await?;
    write_decisions(conn, writes).await?;
    duplicate::write(conn, &writes.fingerprints).await?;
    duplicate::tell_apart(conn, &writes.told_apart).await?;
    company::write_pairs(conn, writes).await?;
    report::write(conn, &writes.reports).await?;
    let done = each! { &tasks.done, it => id: it.task.0, generation: it.generation };
    conn.execute_each::<outbox::Finish>(&done, binds! { at: tasks.at })
        .await?;
    for (token, error) in &tasks.given_up {
        sql_common::outbox::give_up(conn, *token, error, tasks.at).await?;
    }
    Ok(audit::write(conn, &tasks.audit).await?)
}
