//! What operators see of the outbox.

use diesel::{
    ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper,
    pg::{Pg, data_types::PgTimestamp},
    sql_types::{BigInt, Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    outbox::{Backlog, Effect, Kind, MOST_COUNTED, SubjectTask, TaskId, TaskRow},
    store::StoreError,
};
use sql_common::{outbox::task_key, stored::count};
use uuid::Uuid;

use crate::{
    error::Failure,
    schema::outbox,
    statement::{self, Value, bigints, statement, texts, uuids},
    value::{optional_time, time},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = outbox, check_for_backend(Pg))]
struct Row {
    id: i64,
    kind: String,
    subject: Uuid,
    event_name: Option<String>,
    attempts: i32,
    next_at: PgTimestamp,
    last_error: Option<String>,
}

impl TryFrom<Row> for TaskRow {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: TaskId(row.id),
            kind: row.kind,
            key: task_key(row.event_name.as_deref(), row.subject),
            attempts: count(row.attempts, "outbox.attempts")?,
            next_at: time(row.next_at, "outbox.next_at")?,
            last_error: row.last_error,
        })
    }
}

/// Some dead tasks, or others; oldest first.
pub(super) async fn list(
    conn: &mut AsyncPgConnection,
    dead: bool,
    after: Option<TaskId>,
    limit: i64,
) -> Result<Vec<TaskRow>, Failure> {
    let after = after.map_or(i64::MIN, |after| after.0);
    let all = outbox::table
        .filter(outbox::id.gt(after))
        .order(outbox::id.asc())
        .limit(limit);
    let rows: Vec<Row> = if dead {
        all.filter(outbox::dead_at.is_not_null())
            .select(Row::as_select())
            .load(conn)
            .await?
    } else {
        all.filter(outbox::dead_at.is_null())
            .select(Row::as_select())
            .load(conn)
            .await?
    };
    Ok(rows
        .into_iter()
        .map(TaskRow::try_from)
        .collect::<Result<_, _>>()?)
}

statement! {
    /// Those of effects by the index that keeps them apart, those of events by theirs.
    TasksOf =
    "SELECT id, kind, subject, event_name, attempts, next_at, last_error, dead_at IS NOT NULL \
     FROM (SELECT * FROM outbox WHERE kind <> 'event' AND kind = ANY(?) AND subject = ? \
     UNION ALL SELECT * FROM outbox WHERE kind = 'event' AND subject = ?) AS task \
     ORDER BY id LIMIT ?",
    returns (
        BigInt, Text, SqlUuid, Nullable<Text>, Integer, Timestamptz, Nullable<Text>, Bool,
    )
}

#[derive(Queryable)]
struct RowOf {
    id: i64,
    kind: String,
    subject: Uuid,
    event_name: Option<String>,
    attempts: i32,
    next_at: PgTimestamp,
    last_error: Option<String>,
    is_dead: bool,
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
        Value::from(subject),
        Value::from(subject),
        Value::from(limit),
    ];
    let rows: Vec<RowOf> = statement::load::<TasksOf, _>(conn, &values).await?;
    let tasks = rows.into_iter().map(|row| {
        let is_dead = row.is_dead;
        let task = TaskRow::try_from(Row {
            id: row.id,
            kind: row.kind,
            subject: row.subject,
            event_name: row.event_name,
            attempts: row.attempts,
            next_at: row.next_at,
            last_error: row.last_error,
        })?;
        Ok::<_, StoreError>(SubjectTask { task, is_dead })
    });
    Ok(tasks.collect::<Result<_, _>>()?)
}

statement! {
    /// Counts by the indexes that tell apart what may be claimed, what is leased and what is
    /// blocked, each up to a bound.
    Waiting =
    "SELECT wanted.kind, least(count(*), wanted.most), \
     min(task.created_at) FILTER (WHERE NOT task.is_bulk) \
     FROM (SELECT unnest(?) AS kind, ? AS most) AS wanted CROSS JOIN LATERAL (\
     (SELECT created_at, coalesce(account, '') LIKE '%-bulk' AS is_bulk FROM outbox \
     WHERE kind = wanted.kind AND dead_at IS NULL \
     AND lease IS NULL AND NOT blocked LIMIT wanted.most) UNION ALL \
     (SELECT created_at, coalesce(account, '') LIKE '%-bulk' FROM outbox \
     WHERE kind = wanted.kind AND lease IS NOT NULL \
     LIMIT wanted.most) UNION ALL \
     (SELECT created_at, false FROM outbox WHERE kind = wanted.kind AND blocked \
     LIMIT wanted.most)) \
     AS task GROUP BY wanted.kind, wanted.most",
    returns (Text, BigInt, Nullable<Timestamptz>)
}

statement! {
    Dead =
    "SELECT kind, count(*) FROM (SELECT kind FROM outbox WHERE dead_at IS NOT NULL LIMIT ?) \
     AS dead GROUP BY kind",
    returns (Text, BigInt)
}

statement! {
    /// Each is looked up on its own.
    DeadAmong =
    "SELECT sent.nth FROM unnest(?, ?, ?) AS sent (nth, kind, subject) JOIN outbox AS task \
     ON task.kind = sent.kind AND task.subject = sent.subject AND task.kind <> 'event' \
     WHERE task.dead_at IS NOT NULL ORDER BY sent.nth",
    returns (BigInt,)
}

/// Which of these effects have a dead task.
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
    let dead: Vec<(i64,)> = statement::load::<DeadAmong, _>(conn, &values).await?;
    let named = |(nth,): &(i64,)| effects.get(usize::try_from(*nth).ok()?).copied();
    Ok(dead.iter().filter_map(named).collect())
}

/// How much waits, one entry for each of these kinds.
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
    let rows: Vec<(String, i64, Option<PgTimestamp>)> =
        statement::load::<Waiting, _>(conn, &[kinds, most.clone()]).await?;
    for (name, waiting, oldest) in rows {
        for entry in backlog.iter_mut().filter(|it| it.kind.as_str() == name) {
            entry.waiting = waiting.unsigned_abs();
            entry.oldest = optional_time(oldest, "outbox.created_at")?;
        }
    }
    let rows: Vec<(String, i64)> = statement::load::<Dead, _>(conn, &[most]).await?;
    for (name, dead) in rows {
        for entry in backlog.iter_mut().filter(|it| it.kind.as_str() == name) {
            entry.dead = dead.unsigned_abs();
        }
    }
    Ok(backlog)
}
