//! What commits write into the outbox.

use kernel::{
    StoreError,
    outbox::{ClaimToken, TaskWrites},
};
use sql_common::{
    binds,
    entity::row,
    executor::{Executor, Outcome},
    outbox::{EffectAsked, each_effect, effects_of},
    statement,
};
use time::OffsetDateTime;

statement! {
    /// A waiting effect keeps its due time, a leased one its lease; a dead one starts again. An
    /// effect moves to the lane asked for last, but never to one of bulk work.
    Ask = r"
        INSERT INTO outbox ({outbox}) VALUES ({outbox :})
        ON CONFLICT (kind, subject) DO UPDATE SET
            account = CASE WHEN dead_at IS NULL AND excluded.account LIKE '%-bulk'
                THEN account ELSE excluded.account END,
            generation = generation + 1,
            next_at = CASE WHEN dead_at IS NULL THEN next_at ELSE excluded.next_at END,
            attempts = CASE WHEN dead_at IS NULL THEN attempts ELSE 0 END,
            first_failed_at = CASE WHEN dead_at IS NULL THEN first_failed_at END,
            last_error = CASE WHEN dead_at IS NULL THEN last_error END,
            dead_at = NULL, trace_parent = excluded.trace_parent",
    over [EffectAsked]
}

statement! {
    End = "DELETE FROM outbox WHERE kind = :kind AND subject = :subject"
}

/// Deletes the tasks of effects that are no longer wanted, whatever their state, and asks for
/// others.
pub(crate) async fn ask(conn: &mut impl Executor, tasks: &TaskWrites) -> Outcome<()> {
    conn.execute_each::<End>(&each_effect(&tasks.ended), &[])
        .await?;
    let asked: Vec<_> = effects_of(tasks).collect();
    let asked: Vec<_> = asked.iter().map(row::<EffectAsked>).collect();
    conn.execute_each::<Ask>(&asked, &[]).await?;
    Ok(())
}

statement! {
    Finish = "DELETE FROM outbox WHERE id = :id AND lease = :lease AND generation = :generation"
}

statement! {
    /// Resets the attempts, since the next one is the first for the latest request.
    MakeDue = r"
        UPDATE outbox SET lease = NULL, lost = 0, next_at = :at, attempts = 0,
            first_failed_at = NULL, last_error = NULL
        WHERE id = :id AND lease = :lease"
}

/// Deletes a task, or makes it due again if it was asked for again since it was claimed. A lost
/// lease is a conflict.
pub(crate) async fn finish(
    conn: &mut impl Executor,
    token: &ClaimToken,
    at: OffsetDateTime,
) -> Outcome<()> {
    let (generation, lease) = (token.generation, token.lease);
    let values = binds! { id: token.task.0, lease, generation, at };
    if conn.execute::<Finish>(values).await? > 0 || conn.execute::<MakeDue>(values).await? > 0 {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}
