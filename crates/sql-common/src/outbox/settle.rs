use kernel::outbox::ClaimToken;
use time::OffsetDateTime;

use crate::{
    binds, each,
    executor::{Executor, Outcome},
    statement,
    value::Named,
};

/// Changes tasks whose leases are held, on PostgreSQL. A lease belongs to one claim, so
/// ids and leases need not be compared in pairs. Rows are locked in the order of (`kind`,
/// `subject`, `id`). These columns never change, so no deadlock can occur.
fn held(change: &str) -> String {
    format!(
        "WITH held AS MATERIALIZED (
            SELECT id FROM outbox
            WHERE id = ANY(:id::bigint[]) AND lease = ANY(:lease::uuid[])
            ORDER BY kind, subject, id FOR UPDATE
        )
        UPDATE outbox SET next_at = :at{change} WHERE id = ANY(ARRAY(SELECT id FROM held))"
    )
}

statement! {
    Renew = {
        postgres: &held(""),
        sqlite: "UPDATE outbox SET next_at = :at WHERE id = :id AND lease = :lease",
    };

    GiveBack = {
        postgres: &held(", lease = NULL, lost = 0"),
        sqlite: r"
            UPDATE outbox SET lease = NULL, lost = 0, next_at = :at
            WHERE id = :id AND lease = :lease",
    }
}

fn each_lease<'a>(tokens: &[ClaimToken]) -> Vec<Vec<Named<'a>>> {
    each! { tokens, it => id: it.task.0, lease: it.lease }
}

/// Extends the leases that are still held.
pub async fn renew(
    conn: &mut impl Executor,
    tokens: &[ClaimToken],
    at: OffsetDateTime,
) -> Outcome<()> {
    conn.execute_each::<Renew>(&each_lease(tokens), binds! { at })
        .await?;
    Ok(())
}

/// Ends the leases that are still held. Their tasks become due at this time.
pub async fn give_back(
    conn: &mut impl Executor,
    tokens: &[ClaimToken],
    at: OffsetDateTime,
) -> Outcome<()> {
    conn.execute_each::<GiveBack>(&each_lease(tokens), binds! { at })
        .await?;
    Ok(())
}

statement! {
    /// A task that was requested again meanwhile becomes due at once, and its attempts are reset.
    Retry = r"
        UPDATE outbox SET lease = NULL, lost = 0, last_error = sent.error,
            next_at = CASE WHEN outbox.generation = sent.generation
                THEN sent.next_at ELSE sent.now END,
            attempts = CASE WHEN outbox.generation = sent.generation THEN attempts ELSE 0 END,
            first_failed_at = CASE WHEN outbox.generation = sent.generation
                THEN coalesce(first_failed_at, sent.now) END
        FROM (SELECT :id{postgres ::bigint} AS id, :lease{postgres ::uuid} AS lease,
            :generation{postgres ::bigint} AS generation, :error{postgres ::text} AS error,
            :now{postgres ::timestamptz} AS now, :next_at{postgres ::timestamptz} AS next_at) AS sent
        WHERE outbox.id = sent.id AND outbox.lease = sent.lease"
}

pub async fn retry(
    conn: &mut impl Executor,
    token: ClaimToken,
    next_at: OffsetDateTime,
    error: &str,
    now: OffsetDateTime,
) -> Outcome<()> {
    let mut values = failed(token, error, now).to_vec();
    values.extend(binds! { next_at });
    conn.execute::<Retry>(&values).await?;
    Ok(())
}

fn failed(token: ClaimToken, error: &str, now: OffsetDateTime) -> [Named<'_>; 5] {
    let ClaimToken {
        task,
        generation,
        lease,
    } = token;
    *binds! { id: task.0, lease, generation, error, now }
}

statement! {
    /// If the task was requested again meanwhile, it becomes due at once instead.
    MoveToDeadLetters = r"
        UPDATE outbox SET lease = NULL, lost = 0, last_error = sent.error,
            dead_at = CASE WHEN outbox.generation = sent.generation THEN sent.now END,
            next_at = CASE WHEN outbox.generation = sent.generation THEN next_at ELSE sent.now END,
            attempts = CASE WHEN outbox.generation = sent.generation THEN attempts ELSE 0 END,
            first_failed_at =
                CASE WHEN outbox.generation = sent.generation THEN first_failed_at END
        FROM (SELECT :id{postgres ::bigint} AS id, :lease{postgres ::uuid} AS lease,
            :generation{postgres ::bigint} AS generation, :error{postgres ::text} AS error,
            :now{postgres ::timestamptz} AS now) AS sent
        WHERE outbox.id = sent.id AND outbox.lease = sent.lease"
}

/// Dead-letters a task. Returns `false` if the lease was lost.
pub async fn give_up(
    conn: &mut impl Executor,
    token: ClaimToken,
    error: &str,
    now: OffsetDateTime,
) -> Outcome<bool> {
    let values = failed(token, error, now);
    Ok(conn.execute::<MoveToDeadLetters>(&values).await? > 0)
}
