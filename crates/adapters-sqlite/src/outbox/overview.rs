//! What operators see of the outbox.

use diesel::{
    SqliteConnection,
    sql_types::{BigInt, Nullable},
};
use kernel::outbox::{Backlog, Effect, Kind, MOST_COUNTED, SubjectTask, TaskId, TaskRow};
use sql_common::{
    listed,
    outbox::{ListDead, ListLiving, ListedColumns, list_values, listed},
    stored::array_text,
    types::{Moment, StoredTime, optional_time},
};
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{load, statement},
};

/// Lists dead tasks, or all others; oldest first.
pub(super) fn list(
    conn: &mut SqliteConnection,
    dead: bool,
    after: Option<TaskId>,
    limit: i64,
) -> Result<Vec<TaskRow>, Failure> {
    let values = list_values(after, limit);
    let rows = if dead {
        load::<ListDead, _>(conn, &values)?
    } else {
        load::<ListLiving, _>(conn, &values)?
    };
    Ok(listed(rows)?)
}

statement! {
    TasksOf =
    concat!(
        "SELECT ", listed!(), " FROM outbox WHERE kind IN (SELECT value FROM json_each(?)) \
         AND subject = ? ORDER BY id LIMIT ?"
    ),
    returns ListedColumns
}

/// The tasks of a subject, oldest first.
pub(super) fn tasks_of(
    conn: &mut SqliteConnection,
    subject: Uuid,
    kinds: &[Kind],
    limit: i64,
) -> Result<Vec<SubjectTask>, Failure> {
    let kinds: Vec<_> = kinds.iter().map(|kind| kind.as_str()).collect();
    let kinds = array_text(&kinds);
    let values = [kinds.as_str().into(), subject.into(), limit.into()];
    Ok(listed(load::<TasksOf, _>(conn, &values)?)?)
}

statement! {
    /// Counts by the indexes of claimable and of leased tasks, each up to a bound. Ids are in the
    /// order written.
    Waiting =
    "SELECT waiting.tasks, oldest.created_at FROM (\
     SELECT count(*) AS tasks, min(iif(account LIKE '%-bulk', NULL, id)) AS id FROM (\
     SELECT * FROM (SELECT id, account FROM outbox \
     WHERE kind = ? AND dead_at IS NULL AND lease IS NULL LIMIT ?) \
     UNION ALL SELECT * FROM (SELECT id, account FROM outbox \
     WHERE kind = ? AND lease IS NOT NULL LIMIT ?))) AS waiting \
     LEFT JOIN outbox AS oldest ON oldest.id = waiting.id",
    returns (BigInt, Nullable<Moment>)
}

statement! {
    Dead =
    "SELECT count(*) FROM (SELECT id FROM outbox WHERE kind = ? AND dead_at IS NOT NULL LIMIT ?)",
    returns (BigInt,)
}

statement! {
    IsDead =
    "SELECT id FROM outbox WHERE kind = ? AND subject = ? AND dead_at IS NOT NULL",
    returns (BigInt,)
}

/// Returns those of these effects that have a dead task.
pub(super) fn dead_among(
    conn: &mut SqliteConnection,
    effects: &[Effect],
) -> Result<Vec<Effect>, Failure> {
    let mut dead = Vec::new();
    for effect in effects {
        let subject = effect.key();
        let values = [effect.kind().as_str().into(), (&subject).into()];
        let found: Vec<(i64,)> = load::<IsDead, _>(conn, &values)?;
        if !found.is_empty() {
            dead.push(*effect);
        }
    }
    Ok(dead)
}

/// Counts the tasks of each of these kinds.
pub(super) fn backlog(
    conn: &mut SqliteConnection,
    kinds: &[Kind],
) -> Result<Vec<Backlog>, Failure> {
    let most = i64::try_from(MOST_COUNTED).unwrap_or(i64::MAX);
    let mut backlog = Vec::with_capacity(kinds.len());
    for &kind in kinds {
        let values = [kind.as_str().into(), most.into()];
        let waiting: Vec<(i64, Option<StoredTime>)> = load::<Waiting, _>(conn, &values.repeat(2))?;
        let dead: Vec<(i64,)> = load::<Dead, _>(conn, &values)?;
        let oldest = waiting.first().and_then(|(_, oldest)| *oldest);
        backlog.push(Backlog {
            kind,
            waiting: waiting
                .first()
                .map_or(0, |(tasks, _)| (*tasks).min(most).unsigned_abs()),
            dead: dead.first().map_or(0, |(tasks,)| tasks.unsigned_abs()),
            oldest: optional_time(oldest, "outbox.created_at")?,
        });
    }
    Ok(backlog)
}
