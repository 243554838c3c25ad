//! What operators see of the outbox.

use diesel::{
    ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper,
    pg::{Pg, data_types::PgTimestamp},
    sql_types::{BigInt, Nullable, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    outbox::{Backlog, Kind, TaskId, TaskRow},
    store::{
        StoreError,
        stored::{count, task_key, word},
    },
};
use uuid::Uuid;

use crate::{
    error::Failure,
    schema::outbox,
    statement::{self, statement},
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
            kind: word(row.kind, "outbox.kind")?,
            key: task_key(row.event_name.as_deref(), row.subject),
            attempts: count(row.attempts, "outbox.attempts")?,
            next_at: time(row.next_at, "outbox.next_at")?,
            last_error: row.last_error,
        })
    }
}

/// The dead tasks, or the others; oldest first.
pub(super) async fn list(
    conn: &mut AsyncPgConnection,
    dead: bool,
) -> Result<Vec<TaskRow>, Failure> {
    let all = outbox::table.order(outbox::id.asc());
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
    Count =
    "SELECT kind, count(*) FILTER (WHERE dead_at IS NULL), \
     count(*) FILTER (WHERE dead_at IS NOT NULL), \
     min(created_at) FILTER (WHERE dead_at IS NULL) FROM outbox GROUP BY kind",
    returns (Text, BigInt, BigInt, Nullable<Timestamptz>)
}

/// How much waits, one entry for each kind.
pub(super) async fn backlog(conn: &mut AsyncPgConnection) -> Result<Vec<Backlog>, Failure> {
    let mut backlog = Kind::ALL.map(|kind| Backlog {
        kind,
        waiting: 0,
        dead: 0,
        oldest: None,
    });
    let rows: Vec<(String, i64, i64, Option<PgTimestamp>)> =
        statement::load::<Count, _>(conn, &[]).await?;
    for (name, waiting, dead, oldest) in rows {
        let kind: Kind = word(name, "outbox.kind")?;
        for entry in backlog.iter_mut().filter(|entry| entry.kind == kind) {
            entry.waiting = waiting.unsigned_abs();
            entry.dead = dead.unsigned_abs();
            entry.oldest = optional_time(oldest, "outbox.created_at")?;
        }
    }
    Ok(backlog.to_vec())
}
