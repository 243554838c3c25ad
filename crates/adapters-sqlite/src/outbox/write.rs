//! Adds, finishes, retries, gives up and revives tasks.

use diesel::SqliteConnection;
use kernel::{
    StoreError,
    outbox::{ClaimToken, Effect, Revive, TaskId, TaskRow},
    trace::TraceParent,
};
use sql_common::outbox::{ListedColumns, Retry, dead_letter_values, listed};
use time::OffsetDateTime;

use crate::{
    error::Failure,
    statement::{execute, load, statement},
};

statement! {
    /// A waiting effect keeps its due time, a leased one its lease; a dead one starts anew. An
    /// effect moves to the lane asked for last, but never to one of bulk work.
    Ask =
    "INSERT INTO outbox (kind, subject, account, next_at, created_at, trace_parent) \
     VALUES (?, ?, ?, ?, ?, ?) \
     ON CONFLICT (kind, subject) DO UPDATE SET \
     account = CASE WHEN dead_at IS NULL AND excluded.account LIKE '%-bulk' \
     THEN account ELSE excluded.account END, generation = generation + 1, \
     next_at = CASE WHEN dead_at IS NULL THEN next_at ELSE excluded.next_at END, \
     attempts = CASE WHEN dead_at IS NULL THEN attempts ELSE 0 END, \
     first_failed_at = CASE WHEN dead_at IS NULL THEN first_failed_at END, \
     last_error = CASE WHEN dead_at IS NULL THEN last_error END, \
     dead_at = NULL, trace_parent = excluded.trace_parent"
}

/// Asks for an effect.
pub(crate) fn ask(
    conn: &mut SqliteConnection,
    effect: Effect,
    trace: Option<TraceParent>,
    at: OffsetDateTime,
) -> Result<(), Failure> {
    let subject = effect.key();
    let trace = trace.map(|trace| trace.to_string());
    execute::<Ask>(
        conn,
        &[
            effect.kind().as_str().into(),
            (&subject).into(),
            effect.queue().lane().into(),
            at.into(),
            at.into(),
            trace.as_deref().into(),
        ],
    )?;
    Ok(())
}

statement! {
    Finish = "DELETE FROM outbox WHERE id = ? AND lease = ? AND generation = ?"
}

statement! {
    /// Resets the attempts, since the next one is the first for the latest request.
    MakeDue =
    "UPDATE outbox SET lease = NULL, lost = 0, next_at = ?, attempts = 0, \
     first_failed_at = NULL, last_error = NULL WHERE id = ? AND lease = ?"
}

/// Deletes a task, or makes it due again if it was asked for again since it was claimed. A lost
/// lease is a conflict.
pub(crate) fn finish(
    conn: &mut SqliteConnection,
    token: &ClaimToken,
    at: OffsetDateTime,
) -> Result<(), Failure> {
    let ClaimToken {
        task,
        generation,
        lease,
    } = token;
    let key = [task.0.into(), lease.into(), (*generation).into()];
    if execute::<Finish>(conn, &key)? > 0
        || execute::<MakeDue>(conn, &[at.into(), task.0.into(), lease.into()])? > 0
    {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

statement! {
    Renew = "UPDATE outbox SET next_at = ? WHERE id = ? AND lease = ?"
}

/// Extends those leases that still hold.
pub(super) fn renew(
    conn: &mut SqliteConnection,
    tokens: &[ClaimToken],
    until: OffsetDateTime,
) -> Result<(), Failure> {
    for ClaimToken { task, lease, .. } in tokens {
        execute::<Renew>(conn, &[until.into(), task.0.into(), lease.into()])?;
    }
    Ok(())
}

statement! {
    GiveBack = "UPDATE outbox SET lease = NULL, lost = 0, next_at = ? WHERE id = ? AND lease = ?"
}

/// Ends those leases that still hold; their tasks become due at this time.
pub(super) fn give_back(
    conn: &mut SqliteConnection,
    tokens: &[ClaimToken],
    at: OffsetDateTime,
) -> Result<(), Failure> {
    for ClaimToken { task, lease, .. } in tokens {
        execute::<GiveBack>(conn, &[at.into(), task.0.into(), lease.into()])?;
    }
    Ok(())
}

/// Returns a task to its queue after a failed attempt.
pub(super) fn retry(
    conn: &mut SqliteConnection,
    token: &ClaimToken,
    next_at: OffsetDateTime,
    error: &str,
    now: OffsetDateTime,
) -> Result<(), Failure> {
    execute::<Retry>(conn, &Retry::values(*token, error, now, next_at))?;
    Ok(())
}

statement! {
    MoveToDeadLetters = sql_common::dead_letter!()
}

/// Gives a task up; false if the lease was lost.
pub(crate) fn give_up(
    conn: &mut SqliteConnection,
    token: &ClaimToken,
    error: &str,
    now: OffsetDateTime,
) -> Result<bool, Failure> {
    let values = dead_letter_values(*token, error, now);
    Ok(execute::<MoveToDeadLetters>(conn, &values)? > 0)
}

statement! {
    End = "DELETE FROM outbox WHERE kind = ? AND subject = ?"
}

/// Deletes the task of an effect, whatever its state.
pub(crate) fn end(conn: &mut SqliteConnection, effect: Effect) -> Result<(), Failure> {
    let subject = effect.key();
    execute::<End>(conn, &[effect.kind().as_str().into(), (&subject).into()])?;
    Ok(())
}

macro_rules! revive {
    ($which:literal) => {
        concat!(
            "UPDATE outbox SET dead_at = NULL, next_at = ?, attempts = 0, first_failed_at = NULL, \
             last_error = NULL WHERE dead_at IS NOT NULL",
            $which
        )
    };
}

statement! {
    ReviveAll = revive!("")
}

statement! {
    ReviveOne = revive!(" AND id = ?")
}

/// Brings dead tasks back with a clean record, and counts them.
pub(super) fn revive(
    conn: &mut SqliteConnection,
    which: &Revive,
    now: OffsetDateTime,
) -> Result<u64, Failure> {
    let mut revived = 0;
    match which {
        Revive::All => revived = execute::<ReviveAll>(conn, &[now.into()])?,
        Revive::Tasks(tasks) => {
            for task in tasks {
                revived += execute::<ReviveOne>(conn, &[now.into(), task.0.into()])?;
            }
        }
    }
    Ok(u64::try_from(revived).unwrap_or(u64::MAX))
}

statement! {
    Dismiss = sql_common::dismiss!("id = ?"), returns ListedColumns
}

/// Deletes those of these tasks that are dead, and returns them.
pub(super) fn dismiss(
    conn: &mut SqliteConnection,
    tasks: &[TaskId],
) -> Result<Vec<TaskRow>, Failure> {
    let mut dismissed = Vec::with_capacity(tasks.len());
    for task in tasks {
        dismissed.extend(listed(load::<Dismiss, _>(conn, &[task.0.into()])?)?);
    }
    Ok(dismissed)
}
