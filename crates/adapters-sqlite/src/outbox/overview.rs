//! What operators see of the outbox.

use diesel::{
    ExpressionMethods, QueryDsl, Queryable, RunQueryDsl, Selectable, SelectableHelper,
    SqliteConnection,
    sql_types::{BigInt, Binary, Bool, Nullable, Text},
    sqlite::Sqlite,
};
use domain::{
    outbox::{Backlog, Effect, Kind, MOST_COUNTED, SubjectTask, TaskId, TaskRow},
    store::StoreError,
};
use sql_common::{outbox::task_key, stored::count};

use uuid::Uuid;

use crate::{
    error::Failure,
    schema::outbox,
    statement::{self, statement},
    value::{optional_time, time, uuid},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = outbox, check_for_backend(Sqlite))]
struct Row {
    id: i64,
    kind: String,
    subject: Vec<u8>,
    event_name: Option<String>,
    attempts: i64,
    next_at: i64,
    last_error: Option<String>,
}

impl TryFrom<Row> for TaskRow {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let subject = uuid(&row.subject, "outbox.subject")?;
        Ok(Self {
            id: TaskId(row.id),
            kind: row.kind,
            key: task_key(row.event_name.as_deref(), subject),
            attempts: count(row.attempts, "outbox.attempts")?,
            next_at: time(row.next_at, "outbox.next_at")?,
            last_error: row.last_error,
        })
    }
}

/// Some dead tasks, or others; oldest first.
pub(super) fn list(
    conn: &mut SqliteConnection,
    dead: bool,
    after: Option<TaskId>,
    limit: i64,
) -> Result<Vec<TaskRow>, Failure> {
    let rows = outbox::table
        .filter(outbox::dead_at.is_not_null().eq(dead))
        .filter(outbox::id.gt(after.map_or(i64::MIN, |after| after.0)))
        .order(outbox::id)
        .limit(limit)
        .select(Row::as_select())
        .load(conn)?;
    Ok(rows
        .into_iter()
        .map(TaskRow::try_from)
        .collect::<Result<_, _>>()?)
}

statement! {
    /// Those of effects by the index that keeps them apart, those of events by theirs.
    TasksOf =
    "SELECT id, kind, subject, event_name, attempts, next_at, last_error, dead_at IS NOT NULL \
     FROM outbox WHERE id IN (\
     SELECT id FROM outbox WHERE kind <> 'event' \
     AND kind IN (SELECT value FROM json_each(?)) AND subject = ? \
     UNION ALL SELECT id FROM outbox WHERE kind = 'event' AND subject = ?) \
     ORDER BY id LIMIT ?",
    returns (
        BigInt, Text, Binary, Nullable<Text>, BigInt, BigInt, Nullable<Text>, Bool,
    )
}

#[derive(Queryable)]
struct RowOf {
    id: i64,
    kind: String,
    subject: Vec<u8>,
    event_name: Option<String>,
    attempts: i64,
    next_at: i64,
    last_error: Option<String>,
    is_dead: bool,
}

/// The tasks of a subject, oldest first.
pub(super) fn tasks_of(
    conn: &mut SqliteConnection,
    subject: Uuid,
    kinds: &[Kind],
    limit: i64,
) -> Result<Vec<SubjectTask>, Failure> {
    let kinds: Vec<_> = kinds.iter().map(|kind| kind.as_str()).collect();
    // A list of plain names is debugged as JSON has it.
    let kinds = format!("{kinds:?}");
    let values = [
        kinds.as_str().into(),
        (&subject).into(),
        (&subject).into(),
        limit.into(),
    ];
    let rows: Vec<RowOf> = statement::load::<TasksOf, _>(conn, &values)?;
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
    /// blocked, each up to a bound. Ids are in the order written.
    Waiting =
    "SELECT waiting.tasks, oldest.created_at FROM (\
     SELECT count(*) AS tasks, min(iif(account LIKE '%-bulk', NULL, id)) AS id FROM (\
     SELECT * FROM (SELECT id, account FROM outbox \
     WHERE kind = ? AND dead_at IS NULL AND lease IS NULL AND blocked = 0 LIMIT ?) \
     UNION ALL SELECT * FROM (SELECT id, account FROM outbox \
     WHERE kind = ? AND lease IS NOT NULL LIMIT ?) \
     UNION ALL SELECT * FROM (SELECT id, account FROM outbox \
     WHERE kind = ? AND blocked = 1 LIMIT ?))) AS waiting \
     LEFT JOIN outbox AS oldest ON oldest.id = waiting.id",
    returns (BigInt, Nullable<BigInt>)
}

statement! {
    Dead =
    "SELECT count(*) FROM (SELECT id FROM outbox WHERE kind = ? AND dead_at IS NOT NULL LIMIT ?)",
    returns (BigInt,)
}

statement! {
    IsDead =
    "SELECT id FROM outbox WHERE kind = ? AND subject = ? AND kind <> 'event' \
     AND dead_at IS NOT NULL",
    returns (BigInt,)
}

/// Which of these effects have a dead task.
pub(super) fn dead_among(
    conn: &mut SqliteConnection,
    effects: &[Effect],
) -> Result<Vec<Effect>, Failure> {
    let mut dead = Vec::new();
    for effect in effects {
        let subject = effect.key();
        let values = [effect.kind().as_str().into(), (&subject).into()];
        let found: Vec<(i64,)> = statement::load::<IsDead, _>(conn, &values)?;
        if !found.is_empty() {
            dead.push(*effect);
        }
    }
    Ok(dead)
}

/// How much waits, one entry for each of these kinds.
pub(super) fn backlog(
    conn: &mut SqliteConnection,
    kinds: &[Kind],
) -> Result<Vec<Backlog>, Failure> {
    let most = i64::try_from(MOST_COUNTED).unwrap_or(i64::MAX);
    let mut backlog = Vec::with_capacity(kinds.len());
    for &kind in kinds {
        let values = [kind.as_str().into(), most.into()];
        let waiting: Vec<(i64, Option<i64>)> =
            statement::load::<Waiting, _>(conn, &values.repeat(3))?;
        let dead: Vec<(i64,)> = statement::load::<Dead, _>(conn, &values)?;
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
