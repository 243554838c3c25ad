//! Adds, finishes, retries, gives up and revives tasks.

use std::collections::HashMap;

use diesel::sql_types::{BigInt, Nullable, Text, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use domain::{
    outbox::{EVENTS, Effect, Event, Receipt, Revive},
    store::StoreError,
};
use sql_common::outbox::{Retry, dead_letter_values};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{Value, bigints, execute, load, statement, texts, times, uuids},
};

/// Returns the column arrays of the effects and events that a commit adds.
pub(crate) fn columns<'a>(
    effects: &'a [Effect],
    events: &'a [Event],
    at: OffsetDateTime,
) -> [Value<'a>; 10] {
    [
        texts(effects, |effect| Some(effect.kind().as_str())),
        uuids(effects, |effect| effect.key()),
        texts(effects, |effect| effect.queue().lane()),
        times(effects, |_| at),
        texts(events, |_| Some(EVENTS.kind().as_str())),
        uuids(events, |event| event.subject.id),
        texts(events, |event| Some(event.name.as_str())),
        texts(events, |event| event.subject.source_identifier.as_deref()),
        times(events, |event| event.at),
        times(events, |_| at),
    ]
}

statement! {
    /// Locks finished tasks and the effects asked for together, since both are about to be written.
    Lock =
    "WITH meant AS (SELECT unnest(?) AS id UNION \
     SELECT task.id FROM unnest(?, ?) AS sent (kind, subject) JOIN outbox AS task \
     ON task.kind = sent.kind AND task.subject = sent.subject AND task.kind <> 'event') \
     SELECT task.id, task.lease FROM outbox AS task JOIN meant ON meant.id = task.id \
     ORDER BY task.kind, task.subject, task.id FOR UPDATE OF task",
    returns (BigInt, Nullable<SqlUuid>)
}

/// Locks tasks, and checks that the caller still holds the leases of finished ones; a lost lease is
/// a conflict.
pub(crate) async fn lock(
    conn: &mut AsyncPgConnection,
    done: &[Receipt],
    effects: &[Effect],
) -> Result<(), Failure> {
    let values = [
        bigints(done, |receipt| Some(receipt.task.0)),
        texts(effects, |effect| Some(effect.kind().as_str())),
        uuids(effects, |effect| effect.key()),
    ];
    let found: Vec<(i64, Option<Uuid>)> = load::<Lock, _>(conn, &values).await?;
    let leases: HashMap<_, _> = found.into_iter().collect();
    let holds = |receipt: &Receipt| leases.get(&receipt.task.0) == Some(&Some(receipt.lease));
    if done.iter().all(holds) {
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
    done: &[Receipt],
    at: OffsetDateTime,
) -> Result<(), Failure> {
    let values = [
        bigints(done, |receipt| Some(receipt.task.0)),
        bigints(done, |receipt| Some(receipt.generation)),
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
    receipts: &[Receipt],
    until: OffsetDateTime,
) -> Result<(), Failure> {
    execute::<Renew>(conn, &held(receipts, until)).await?;
    Ok(())
}

/// Ends those leases that still hold; their tasks become due at this time.
pub(super) async fn give_back(
    conn: &mut AsyncPgConnection,
    receipts: &[Receipt],
    at: OffsetDateTime,
) -> Result<(), Failure> {
    execute::<GiveBack>(conn, &held(receipts, at)).await?;
    Ok(())
}

fn held(receipts: &[Receipt], next_at: OffsetDateTime) -> [Value<'_>; 3] {
    [
        bigints(receipts, |receipt| Some(receipt.task.0)),
        uuids(receipts, |receipt| receipt.lease),
        Value::from(next_at),
    ]
}

/// Returns a task to its queue after a failed attempt.
pub(super) async fn retry(
    conn: &mut AsyncPgConnection,
    receipt: Receipt,
    next_at: OffsetDateTime,
    error: &str,
    now: OffsetDateTime,
) -> Result<(), Failure> {
    let values = Retry::values(receipt, error, now, next_at).map(Value::from);
    execute::<Retry>(conn, &values).await?;
    Ok(())
}

statement! {
    /// Gives a task up, and blocks later events of its subject, so that claims need not look at
    /// them. An event recorded at the same moment may stay unblocked; claims skip it all the same.
    MoveToDeadLetters =
    concat!(
        "WITH dead AS (", sql_common::dead_letter!(), " RETURNING outbox.id, kind, subject, dead_at) \
         UPDATE outbox SET blocked = true FROM dead \
         WHERE dead.kind = 'event' AND dead.dead_at IS NOT NULL AND outbox.kind = 'event' \
         AND outbox.subject = dead.subject AND outbox.id > dead.id"
    )
}

pub(super) async fn give_up(
    conn: &mut AsyncPgConnection,
    receipt: Receipt,
    error: &str,
    now: OffsetDateTime,
) -> Result<(), Failure> {
    let values = dead_letter_values(receipt, error, now).map(Value::from);
    execute::<MoveToDeadLetters>(conn, &values).await?;
    Ok(())
}

macro_rules! revive {
    ($which:literal) => {
        concat!(
            "WITH dead AS MATERIALIZED (SELECT id FROM outbox WHERE dead_at IS NOT NULL ",
            $which,
            "ORDER BY kind, subject, id FOR UPDATE) \
             UPDATE outbox SET dead_at = NULL, next_at = ?, attempts = 0, \
             first_failed_at = NULL, last_error = NULL FROM dead WHERE outbox.id = dead.id \
             RETURNING kind, subject"
        )
    };
}

statement! {
    ReviveAll = revive!(""),
    returns (Text, SqlUuid)
}

statement! {
    ReviveSome = revive!("AND id = ANY(?) "),
    returns (Text, SqlUuid)
}

statement! {
    Unblock =
    "WITH waiting AS MATERIALIZED (SELECT id FROM outbox WHERE blocked AND subject = ANY(?) \
     ORDER BY subject, id FOR UPDATE) \
     UPDATE outbox SET blocked = false FROM waiting WHERE outbox.id = waiting.id"
}

/// Revives dead tasks with their attempts reset, and counts them. Unblocks the events behind
/// revived ones. It looks for those after it has locked the dead events: a commit that saw a dead
/// event, and so blocked its own, has ended by then.
pub(super) async fn revive(
    conn: &mut AsyncPgConnection,
    which: &Revive,
    now: OffsetDateTime,
) -> Result<u64, Failure> {
    let now = Value::from(now);
    let revived: Vec<(String, Uuid)> = match which {
        Revive::All => load::<ReviveAll, _>(conn, &[now]).await?,
        Revive::Tasks(tasks) => {
            let tasks = bigints(tasks, |task| Some(task.0));
            load::<ReviveSome, _>(conn, &[tasks, now]).await?
        }
    };
    let events = revived
        .iter()
        .filter(|(kind, _)| kind == EVENTS.kind().as_str());
    let subjects: Vec<_> = events.map(|(_, subject)| *subject).collect();
    if !subjects.is_empty() {
        execute::<Unblock>(conn, &[Value::Uuids(subjects)]).await?;
    }
    Ok(u64::try_from(revived.len()).unwrap_or(u64::MAX))
}
