//! What commits write into the outbox.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Nullable, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use kernel::{
    StoreError,
    outbox::{ClaimToken, Effect},
};
use sql_common::{binds, statement};
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{Value, load},
};

statement! {
    /// Locks settled tasks and the effects asked for together, since both are about to be written.
    Lock = r"
        WITH meant AS (
            SELECT unnest(:ids::bigint[]) AS id
            UNION
            SELECT task.id
            FROM unnest(:kinds::text[], :subjects::uuid[]) AS sent (kind, subject)
            JOIN outbox AS task ON task.kind = sent.kind AND task.subject = sent.subject
        )
        SELECT task.id, task.lease FROM outbox AS task JOIN meant ON meant.id = task.id
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
    let kinds = effects.iter().map(|effect| Some(effect.kind().as_str()));
    let asked = binds! {
        ids: Value::BigInts(settled.iter().map(|token| Some(token.task.0)).collect()),
        kinds: Value::Texts(kinds.collect()),
        subjects: Value::Uuids(effects.iter().map(|effect| effect.key()).collect()),
    };
    let found: Vec<(i64, Option<Uuid>)> = load::<Lock, _>(conn, asked).await?;
    let leases: HashMap<_, _> = found.into_iter().collect();
    let holds = |token: &ClaimToken| leases.get(&token.task.0) == Some(&Some(token.lease));
    if settled.iter().all(holds) {
        Ok(())
    } else {
        Err(StoreError::Conflict.into())
    }
}

statement! {
    /// Deletes tasks whose locks and leases the caller holds. One that was asked for again since it
    /// was claimed becomes due again, with its attempts reset.
    pub(crate) Finish = r"
        WITH done AS MATERIALIZED (
            SELECT * FROM unnest(:id::bigint[], :generation::bigint[]) AS done (id, generation)
        ),
        gone AS (
            DELETE FROM outbox USING done
            WHERE outbox.id = done.id AND outbox.generation = done.generation
        )
        UPDATE outbox SET lease = NULL, lost = 0, next_at = :at, attempts = 0,
            first_failed_at = NULL, last_error = NULL
        FROM done WHERE outbox.id = done.id AND outbox.generation <> done.generation"
}

statement! {
    /// Deletes the tasks of effects, whatever their state.
    pub(crate) End = r"
        WITH meant AS MATERIALIZED (
            SELECT task.id
            FROM unnest(:kind::text[], :subject::uuid[]) AS sent (kind, subject)
            JOIN outbox AS task ON task.kind = sent.kind AND task.subject = sent.subject
            ORDER BY task.kind, task.subject, task.id FOR UPDATE OF task
        )
        DELETE FROM outbox USING meant WHERE outbox.id = meant.id"
}
