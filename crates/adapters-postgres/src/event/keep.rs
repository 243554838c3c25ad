use diesel::sql_types::{BigInt, Bool};
use diesel_async::AsyncPgConnection;
use sql_common::{
    binds,
    executor::{Executor as _, Outcome, counted},
    horizon, statement,
    stored::most,
};
use time::OffsetDateTime;

statement! {
    /// Deletes old events, from the last deleted event to the first event to keep. Concurrent
    /// callers work one after the other.
    Forget = concat!(
        "WITH place AS MATERIALIZED (
            SELECT deleted_in, deleted_number, ", horizon!(), " AS horizon
            FROM event_log WHERE singleton FOR NO KEY UPDATE
        ),
        oldest AS MATERIALIZED (
            SELECT commit_seq, number,
                bool_and(at < :before) OVER (ORDER BY commit_seq, number) AS is_old
            FROM (
                SELECT commit_seq, number, at FROM events
                WHERE (commit_seq, number)
                        > ((SELECT deleted_in FROM place), (SELECT deleted_number FROM place))
                    AND commit_seq < (SELECT horizon FROM place)
                ORDER BY commit_seq, number LIMIT :limit
            ) AS looked_at
        ),
        deleted AS (
            DELETE FROM events USING oldest
            WHERE is_old AND events.commit_seq = oldest.commit_seq
                AND events.number = oldest.number
            RETURNING events.commit_seq, events.number
        ),
        moved AS (
            UPDATE event_log SET deleted_in = last.commit_seq, deleted_number = last.number
            FROM (
                SELECT commit_seq, number FROM deleted
                ORDER BY commit_seq DESC, number DESC LIMIT 1
            ) AS last
            WHERE singleton
        )
        SELECT count(*) FROM deleted"
    ),
    returns (BigInt,)
}

pub(super) async fn forget(
    conn: &mut AsyncPgConnection,
    before: OffsetDateTime,
    limit: usize,
) -> Outcome<usize> {
    let asked = binds! { before, limit: most(limit) };
    Ok(counted(&conn.load::<Forget>(asked).await?))
}

/// The last stored place, even if its event was deleted.
macro_rules! last {
    () => {
        "greatest(
            deleted_in,
            (SELECT commit_seq FROM events ORDER BY commit_seq DESC, number DESC LIMIT 1),
            (SELECT max(commit_seq) FROM webhook_endpoints)
        )"
    };
}

/// The place of the next transaction.
macro_rules! next {
    () => {
        "pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
    };
}

statement! {
    IsBehind = concat!(
        "SELECT ", last!(), " >= ", next!(), " + transaction_offset FROM event_log WHERE singleton"
    ),
    returns (Bool,);

    /// Waits for running commits. Later commits wait for this transaction, and see the new offset.
    Lock = "LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE";

    Raise = concat!(
        "UPDATE event_log SET transaction_offset = ", last!(), " + 4294967296 - ", next!(),
        " WHERE singleton AND ", last!(), " >= ", next!(), " + transaction_offset"
    )
}

/// Whether new events would get places before stored ones. This happens after a dump is restored in
/// a new server, whose transaction ids are low.
pub(crate) async fn is_behind(conn: &mut AsyncPgConnection) -> Outcome<bool> {
    let behind = conn.load::<IsBehind>(&[]).await?;
    Ok(behind.first() == Some(&(true,)))
}

/// Raises the offset in the caller's transaction, unless another process has already raised it.
pub(crate) async fn raise_offset(conn: &mut AsyncPgConnection) -> Outcome<()> {
    conn.execute::<Lock>(&[]).await?;
    conn.execute::<Raise>(&[]).await?;
    Ok(())
}
