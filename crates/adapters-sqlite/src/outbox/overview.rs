//! What operators see of the outbox.

use diesel::{
    ExpressionMethods, QueryDsl, Queryable, RunQueryDsl, Selectable, SelectableHelper,
    SqliteConnection,
    sql_types::{BigInt, Text},
    sqlite::Sqlite,
};
use domain::{
    outbox::{Backlog, Kind, TaskId, TaskRow},
    store::{
        StoreError,
        stored::{count, task_key, word},
    },
};

use crate::{
    error::Failure,
    schema::outbox,
    statement::{self, statement},
    value::{time, uuid},
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
            kind: word(row.kind, "outbox.kind")?,
            key: task_key(row.event_name.as_deref(), subject),
            attempts: count(row.attempts, "outbox.attempts")?,
            next_at: time(row.next_at, "outbox.next_at")?,
            last_error: row.last_error,
        })
    }
}

/// The dead tasks, or the others; oldest first.
pub(super) fn list(conn: &mut SqliteConnection, dead: bool) -> Result<Vec<TaskRow>, Failure> {
    let rows = outbox::table
        .filter(outbox::dead_at.is_not_null().eq(dead))
        .order(outbox::id)
        .select(Row::as_select())
        .load(conn)?;
    Ok(rows
        .into_iter()
        .map(TaskRow::try_from)
        .collect::<Result<_, _>>()?)
}

statement! {
    /// Reads one index and, for each kind, one row.
    Waiting =
    "SELECT waiting.kind, waiting.tasks, oldest.created_at FROM (\
     SELECT kind, count(*) AS tasks, min(id) AS id FROM outbox WHERE dead_at IS NULL \
     GROUP BY kind) AS waiting JOIN outbox AS oldest ON oldest.id = waiting.id",
    returns (Text, BigInt, BigInt)
}

statement! {
    Dead = "SELECT kind, count(*) FROM outbox WHERE dead_at IS NOT NULL GROUP BY kind",
    returns (Text, BigInt)
}

/// How much waits, one entry for each kind.
pub(super) fn backlog(conn: &mut SqliteConnection) -> Result<Vec<Backlog>, Failure> {
    let empty = |kind| Backlog {
        kind,
        waiting: 0,
        dead: 0,
        oldest: None,
    };
    let mut backlog = Kind::ALL.map(empty).to_vec();
    let rows: Vec<(String, i64, i64)> = statement::load::<Waiting, _>(conn, &[])?;
    for (name, tasks, oldest) in rows {
        let entry = of_kind(&mut backlog, &name)?;
        entry.waiting = tasks.unsigned_abs();
        entry.oldest = Some(time(oldest, "outbox.created_at")?);
    }
    let rows: Vec<(String, i64)> = statement::load::<Dead, _>(conn, &[])?;
    for (name, tasks) in rows {
        of_kind(&mut backlog, &name)?.dead = tasks.unsigned_abs();
    }
    Ok(backlog)
}

/// The entry of the kind with this name.
fn of_kind<'a>(backlog: &'a mut [Backlog], name: &str) -> Result<&'a mut Backlog, StoreError> {
    let kind: Kind = word(name, "outbox.kind")?;
    let missing = || StoreError::Broken(format!("the kind {kind} is not among all kinds"));
    backlog
        .iter_mut()
        .find(|entry| entry.kind == kind)
        .ok_or_else(missing)
}
