//! Adds, finishes, retries, gives up and revives tasks.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Nullable, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use kernel::{
    StoreError,
    outbox::{ClaimToken, Effect, Revive, TaskId, TaskRow},
    trace::TraceParent,
};
use sql_common::outbox::{ListedColumns, Retry, dead_letter_values, listed};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{Value, bigints, execute, load, rendered, statement, texts, times, uuids},
};

/// The columns of the effects that a commit asks for.
pub(crate) fn columns<'a>(
    effects: &'a [Effect],
    of_traces: &'a [Option<TraceParent>],
    at: OffsetDateTime,
) -> [Value<'a>; 5] {
    [
        texts(effects, |effect| Some(effect.kind().as_str())),
        uuids(effects, |effect| effect.key()),
        texts(effects, |effect| effect.queue().lane()),
        times(effects, |_| at),
        rendered(of_traces.iter().map(Option::as_ref)),
    ]
}

statement! {
    /// Locks settled tasks and the effects asked for together, since both are about to be written.
    Lock =
    "WITH meant AS (SELECT unnest(?) AS id UNION \
     SELECT task.id FROM unnest(?, ?) AS sent (kind, subject) JOIN outbox AS task \
     ON task.kind = sent.kind AND task.subject = sent.subject) \
     SELECT task.id, task.lease FROM outbox AS task JOIN meant ON meant.id = task.id \
     ORDER BY task.kind, task.subject, task.id FOR UPDATE OF task",
    returns (BigInt, Nullable<SqlUuid>)
}

/// Locks tasks, and checks that the caller still holds the leases of those that it settles; a lost
/// lease is a conflict.
pub(crate) async fn lock(
    conn: &mut AsyncPgConnection,
    settled: &[ClaimToken],
    effects: &[Effect],
) -> Result<(), Failure> {
    let values = [
        bigints(settled, |token| Some(token.task.0)),
        texts(effects, |effect| Some(effect.kind().as_str())),
        uuids(effects, |effect| effect.key()),
    ];
    let found: Vec<(i64, Option<Uuid>)> = load::<Lock, _>(conn, &values).await?;
    let leases: HashMap<_, _> = found.into_iter().collect();
    let holds = |token: &ClaimToken| leases.get(&token.task.0) == Some(&Some(token.lease));
    if settled.iter().all(holds) {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

statement! {
    /// A task that was asked for again since it was claimed becomes due again, with its attempts
    /// reset.
    Finish =
    "WITH done AS MATERIALIZED (SELECT * FROM unnest(?, ?) AS done (id, generation)), \
     gone AS (DELETE FROM outbox USING done \
     WHERE outbox.id = done.id AND outbox.generation = done.generation) \
     UPDATE outbox SET lease = NULL, lost = 0, next_at = ?, attempts = 0, first_failed_at = NULL, \
     last_error = NULL FROM done \
     WHERE outbox.id = done.id AND outbox.generation <> done.generation"
}

/// Deletes tasks, or makes them due again. The caller holds their locks and leases.
pub(crate) async fn finish(
    conn: &mut AsyncPgConnection,
    done: &[ClaimToken],
    at: OffsetDateTime,
) -> Result<(), Failure> {
    let values = [
        bigints(done, |token| Some(token.task.0)),
        bigints(done, |token| Some(token.generation)),
        Value::from(at),
    ];
    execute::<Finish>(conn, &values).await?;
    Ok(())
}

macro_rules! held {
    ($change:literal) => {
        concat!(
            "WITH held AS MATERIALIZED (\
             SELECT task.id FROM unnest(?, ?) AS sent (id, lease) \
             JOIN outbox AS task ON task.id = sent.id AND task.lease = sent.lease \
             ORDER BY task.kind, task.subject, task.id FOR UPDATE OF task) \
             UPDATE outbox SET next_at = ?",
            $change,
            " FROM held WHERE outbox.id = held.id"
        )
    };
}

statement! {
    Renew = held!("")
}

statement! {
    GiveBack = held!(", lease = NULL, lost = 0")
}

/// Extends those leases that still hold.
pub(super) async fn renew(
    conn: &mut AsyncPgConnection,
    tokens: &[ClaimToken],
    until: OffsetDateTime,
) -> Result<(), Failure> {
    execute::<Renew>(conn, &held(tokens, until)).await?;
    Ok(())
}

/// Ends those leases that still hold; their tasks become due at this time.
pub(super) async fn give_back(
    conn: &mut AsyncPgConnection,
    tokens: &[ClaimToken],
    at: OffsetDateTime,
) -> Result<(), Failure> {
    execute::<GiveBack>(conn, &held(tokens, at)).await?;
    Ok(())
}

fn held(tokens: &[ClaimToken], next_at: OffsetDateTime) -> [Value<'_>; 3] {
    [
        bigints(tokens, |token| Some(token.task.0)),
        uuids(tokens, |token| token.lease),
        Value::from(next_at),
    ]
}

/// Returns a task to its queue after a failed attempt.
pub(super) async fn retry(
    conn: &mut AsyncPgConnection,
    token: ClaimToken,
    next_at: OffsetDateTime,
    error: &str,
    now: OffsetDateTime,
) -> Result<(), Failure> {
    let values = Retry::values(token, error, now, next_at).map(Value::from);
    execute::<Retry>(conn, &values).await?;
    Ok(())
}

statement! {
    MoveToDeadLetters = sql_common::dead_letter!()
}

/// Gives a task up, unless the lease was lost.
pub(crate) async fn give_up(
    conn: &mut AsyncPgConnection,
    token: ClaimToken,
    error: &str,
    now: OffsetDateTime,
) -> Result<(), Failure> {
    let values = dead_letter_values(token, error, now).map(Value::from);
    execute::<MoveToDeadLetters>(conn, &values).await?;
    Ok(())
}

statement! {
    End =
    "WITH meant AS MATERIALIZED (\
     SELECT task.id FROM unnest(?, ?) AS sent (kind, subject) \
     JOIN outbox AS task ON task.kind = sent.kind AND task.subject = sent.subject \
     ORDER BY task.kind, task.subject, task.id FOR UPDATE OF task) \
     DELETE FROM outbox USING meant WHERE outbox.id = meant.id"
}

/// Deletes the tasks of effects, whatever their state.
pub(crate) async fn end(conn: &mut AsyncPgConnection, effects: &[Effect]) -> Result<(), Failure> {
    let values = [
        texts(effects, |effect| Some(effect.kind().as_str())),
        uuids(effects, |effect| effect.key()),
    ];
    execute::<End>(conn, &values).await?;
    Ok(())
}

macro_rules! revive {
    ($which:literal) => {
        concat!(
            "WITH dead AS MATERIALIZED (SELECT id FROM outbox WHERE dead_at IS NOT NULL ",
            $which,
            "ORDER BY kind, subject, id FOR UPDATE) \
             UPDATE outbox SET dead_at = NULL, next_at = ?, attempts = 0, \
             first_failed_at = NULL, last_error = NULL FROM dead WHERE outbox.id = dead.id"
        )
    };
}

statement! {
    ReviveAll = revive!("")
}

statement! {
    ReviveSome = revive!("AND id = ANY(?) ")
}

/// Brings dead tasks back with a clean record, and counts them.
pub(super) async fn revive(
    conn: &mut AsyncPgConnection,
    which: &Revive,
    now: OffsetDateTime,
) -> Result<u64, Failure> {
    let now = Value::from(now);
    let revived = match which {
        Revive::All => execute::<ReviveAll>(conn, &[now]).await?,
        Revive::Tasks(tasks) => {
            let tasks = bigints(tasks, |task| Some(task.0));
            execute::<ReviveSome>(conn, &[tasks, now]).await?
        }
    };
    Ok(u64::try_from(revived).unwrap_or(u64::MAX))
}

statement! {
    Dismiss =
    sql_common::dismiss!(
        "id IN (SELECT id FROM outbox WHERE dead_at IS NOT NULL AND id = ANY(?) \
         ORDER BY kind, subject, id FOR UPDATE)"
    ),
    returns ListedColumns
}

/// Deletes those of these tasks that are dead, and returns them.
pub(super) async fn dismiss(
    conn: &mut AsyncPgConnection,
    tasks: &[TaskId],
) -> Result<Vec<TaskRow>, Failure> {
    let tasks = bigints(tasks, |task| Some(task.0));
    Ok(listed(load::<Dismiss, _>(conn, &[tasks]).await?)?)
}
