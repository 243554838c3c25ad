//! What commits write into the outbox.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Nullable, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use kernel::{
    StoreError,
    outbox::{ClaimToken, Effect},
    trace::TraceParent,
};
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
