//! What operators see of the outbox.

use diesel::sql_types::{BigInt, Nullable, Text};
use diesel_async::AsyncPgConnection;
use kernel::outbox::{Backlog, Effect, Kind, MOST_COUNTED, SubjectTask, TaskId, TaskRow};
use sql_common::{
    listed,
    outbox::{ListDead, ListLiving, ListedColumns, list_values, listed},
    types::{Moment, StoredTime, optional_time},
};
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{Value, bigints, load, statement, texts, uuids},
};

/// Lists dead tasks, or all others; oldest first.
pub(super) async fn list(
    conn: &mut AsyncPgConnection,
    dead: bool,
    after: Option<TaskId>,
    limit: i64,
) -> Result<Vec<TaskRow>, Failure> {
    let values = list_values(after, limit).map(Value::from);
    let rows = if dead {
        load::<ListDead, _>(conn, &values).await?
    } else {
        load::<ListLiving, _>(conn, &values).await?
    };
    Ok(listed(rows)?)
}

statement! {
    TasksOf =
    concat!(
        "SELECT ", listed!(), " FROM outbox WHERE kind = ANY(?) AND subject = ? \
         ORDER BY id LIMIT ?"
    ),
    returns ListedColumns
}

/// The tasks of a subject, oldest first.
pub(super) async fn tasks_of(
    conn: &mut AsyncPgConnection,
    subject: Uuid,
    kinds: &[Kind],
    limit: i64,
) -> Result<Vec<SubjectTask>, Failure> {
    let values = [
        texts(kinds, |kind| Some(kind.as_str())),
        subject.into(),
        limit.into(),
    ];
    Ok(listed(load::<TasksOf, _>(conn, &values).await?)?)
}

statement! {
    /// Counts by the indexes of claimable and of leased tasks, each up to a bound.
    Waiting =
    "SELECT wanted.kind, least(count(*), wanted.most), \
     min(task.created_at) FILTER (WHERE NOT task.is_bulk) \
     FROM (SELECT unnest(?) AS kind, ? AS most) AS wanted CROSS JOIN LATERAL (\
     (SELECT created_at, coalesce(account, '') LIKE '%-bulk' AS is_bulk FROM outbox \
     WHERE kind = wanted.kind AND dead_at IS NULL \
     AND lease IS NULL LIMIT wanted.most) UNION ALL \
     (SELECT created_at, coalesce(account, '') LIKE '%-bulk' FROM outbox \
     WHERE kind = wanted.kind AND lease IS NOT NULL \
     LIMIT wanted.most)) \
     AS task GROUP BY wanted.kind, wanted.most",
    returns (Text, BigInt, Nullable<Moment>)
}

statement! {
    Dead =
    "SELECT kind, count(*) FROM (SELECT kind FROM outbox WHERE dead_at IS NOT NULL LIMIT ?) \
     AS dead GROUP BY kind",
    returns (Text, BigInt)
}

statement! {
    /// Joins so that each effect is an index lookup.
    DeadAmong =
    "SELECT sent.nth FROM unnest(?, ?, ?) AS sent (nth, kind, subject) JOIN outbox AS task \
     ON task.kind = sent.kind AND task.subject = sent.subject \
     WHERE task.dead_at IS NOT NULL ORDER BY sent.nth",
    returns (BigInt,)
}

/// Returns those of these effects that have a dead task.
pub(super) async fn dead_among(
    conn: &mut AsyncPgConnection,
    effects: &[Effect],
) -> Result<Vec<Effect>, Failure> {
    let numbered: Vec<_> = (0_i64..).zip(effects).collect();
    let values = [
        bigints(&numbered, |(nth, _)| Some(*nth)),
        texts(&numbered, |(_, effect)| Some(effect.kind().as_str())),
        uuids(&numbered, |(_, effect)| effect.key()),
    ];
    let dead: Vec<(i64,)> = load::<DeadAmong, _>(conn, &values).await?;
    let named = |(nth,): &(i64,)| effects.get(usize::try_from(*nth).ok()?).copied();
    Ok(dead.iter().filter_map(named).collect())
}

/// Counts the tasks of each of these kinds.
pub(super) async fn backlog(
    conn: &mut AsyncPgConnection,
    kinds: &[Kind],
) -> Result<Vec<Backlog>, Failure> {
    let of = |&kind| Backlog {
        kind,
        waiting: 0,
        dead: 0,
        oldest: None,
    };
    let mut backlog: Vec<_> = kinds.iter().map(of).collect();
    let most = Value::from(i64::try_from(MOST_COUNTED).unwrap_or(i64::MAX));
    let kinds = texts(kinds, |kind| Some(kind.as_str()));
    let rows: Vec<(String, i64, Option<StoredTime>)> =
        load::<Waiting, _>(conn, &[kinds, most.clone()]).await?;
    for (name, waiting, oldest) in rows {
        for entry in backlog.iter_mut().filter(|it| it.kind.as_str() == name) {
            entry.waiting = waiting.unsigned_abs();
            entry.oldest = optional_time(oldest, "outbox.created_at")?;
        }
    }
    let rows: Vec<(String, i64)> = load::<Dead, _>(conn, &[most]).await?;
    for (name, dead) in rows {
        for entry in backlog.iter_mut().filter(|it| it.kind.as_str() == name) {
            entry.dead = dead.unsigned_abs();
        }
    }
    Ok(backlog)
}
