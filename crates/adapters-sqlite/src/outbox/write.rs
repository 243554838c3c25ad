//! What commits write into the outbox.

use diesel::SqliteConnection;
use kernel::{
    StoreError,
    outbox::{ClaimToken, Effect},
    trace::TraceParent,
};
use time::OffsetDateTime;

use crate::{
    error::Failure,
    statement::{execute, statement},
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
    End = "DELETE FROM outbox WHERE kind = ? AND subject = ?"
}

/// Deletes the task of an effect, whatever its state.
pub(crate) fn end(conn: &mut SqliteConnection, effect: Effect) -> Result<(), Failure> {
    let subject = effect.key();
    execute::<End>(conn, &[effect.kind().as_str().into(), (&subject).into()])?;
    Ok(())
}
