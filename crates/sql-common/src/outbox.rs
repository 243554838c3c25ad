//! The table `outbox`: its rows as claimed and as listed, and statements.

use diesel::{
    Queryable,
    sql_types::{BigInt, Nullable, Text},
};
use kernel::{
    StoreError,
    outbox::{ClaimToken, Claimed, Effect, Queue, SubjectTask, TaskId, TaskRow},
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    statement,
    stored::{count, trace},
    types::{Count, Id, Moment, StoredId, StoredTime, optional_time},
    value::Value,
};

/// The SQL types of a [`ClaimedRow`].
pub type ClaimedColumns = (
    BigInt,
    Id,
    BigInt,
    Count,
    Moment,
    Nullable<Moment>,
    Count,
    Nullable<Text>,
);

/// A row of a task that is being claimed.
#[derive(Clone, Debug, Queryable)]
pub struct ClaimedRow {
    pub id: i64,
    subject: StoredId,
    generation: i64,
    attempts: i64,
    /// When it was due, before the claim.
    pub due_at: StoredTime,
    first_failed_at: Option<StoredTime>,
    pub lost: i64,
    trace_parent: Option<String>,
}

impl ClaimedRow {
    /// The claimed task, from its queue and its lease.
    pub fn claimed(self, queue: Queue, lease: Uuid) -> Result<Claimed, StoreError> {
        Ok(Claimed {
            token: ClaimToken {
                task: TaskId(self.id),
                generation: self.generation,
                lease,
            },
            attempts: count(self.attempts, "outbox.attempts")?,
            first_failed_at: optional_time(self.first_failed_at, "outbox.first_failed_at")?,
            lost: count(self.lost, "outbox.lost")?,
            trace: trace(self.trace_parent.as_deref()),
            effect: Effect::new(queue, self.subject.uuid("outbox.subject")?),
        })
    }
}

/// The columns of a [`ListedRow`].
#[macro_export]
macro_rules! listed {
    () => {
        "id, kind, subject, attempts, next_at, last_error, dead_at"
    };
}

/// The SQL types of a [`ListedRow`].
pub type ListedColumns = (
    BigInt,
    Text,
    Id,
    Count,
    Moment,
    Nullable<Text>,
    Nullable<Moment>,
);

/// A row as operators see it.
#[derive(Debug, Queryable)]
pub struct ListedRow {
    id: i64,
    kind: String,
    subject: StoredId,
    attempts: i64,
    next_at: StoredTime,
    last_error: Option<String>,
    dead_at: Option<StoredTime>,
}

impl TryFrom<ListedRow> for TaskRow {
    type Error = StoreError;

    fn try_from(row: ListedRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: TaskId(row.id),
            kind: row.kind,
            key: row.subject.uuid("outbox.subject")?,
            attempts: count(row.attempts, "outbox.attempts")?,
            next_at: row.next_at.time("outbox.next_at")?,
            last_error: row.last_error,
        })
    }
}

impl TryFrom<ListedRow> for SubjectTask {
    type Error = StoreError;

    fn try_from(row: ListedRow) -> Result<Self, StoreError> {
        Ok(Self {
            is_dead: row.dead_at.is_some(),
            task: row.try_into()?,
        })
    }
}

/// The tasks of the rows that were read.
pub fn listed<T: TryFrom<ListedRow>>(rows: Vec<ListedRow>) -> Result<Vec<T>, T::Error> {
    rows.into_iter().map(T::try_from).collect()
}

statement! {
    /// Lists dead tasks, oldest first.
    pub ListDead =
    concat!(
        "SELECT ", listed!(), " FROM outbox WHERE dead_at IS NOT NULL AND id > ? ORDER BY id LIMIT ?"
    ),
    returns ListedColumns
}

statement! {
    /// Lists tasks that are not dead, oldest first.
    pub ListLiving =
    concat!(
        "SELECT ", listed!(), " FROM outbox WHERE dead_at IS NULL AND id > ? ORDER BY id LIMIT ?"
    ),
    returns ListedColumns
}

/// The values for a list.
pub fn list_values(after: Option<TaskId>, limit: i64) -> [Value<'static>; 2] {
    [after.map_or(i64::MIN, |after| after.0).into(), limit.into()]
}

statement! {
    /// Returns a task to its queue after a failed attempt. One that was asked for again meanwhile
    /// becomes due at once, with its attempts reset.
    pub Retry =
    "UPDATE outbox SET lease = NULL, lost = 0, last_error = sent.error, \
     next_at = CASE WHEN outbox.generation = sent.generation THEN sent.next_at ELSE sent.now END, \
     attempts = CASE WHEN outbox.generation = sent.generation THEN attempts ELSE 0 END, \
     first_failed_at = CASE WHEN outbox.generation = sent.generation \
     THEN coalesce(first_failed_at, sent.now) END \
     FROM (SELECT ? AS id, ? AS lease, ? AS generation, ? AS error, ? AS now, ? AS next_at) AS sent \
     WHERE outbox.id = sent.id AND outbox.lease = sent.lease"
}

impl Retry {
    /// The values of a failed attempt.
    pub fn values(
        token: ClaimToken,
        error: &str,
        now: OffsetDateTime,
        next_at: OffsetDateTime,
    ) -> [Value<'_>; 6] {
        let [task, lease, generation, error, now] = dead_letter_values(token, error, now);
        [task, lease, generation, error, now, next_at.into()]
    }
}

/// The text of the statement that moves a task to the dead letters. One that was asked for again
/// meanwhile becomes due at once instead.
#[macro_export]
macro_rules! dead_letter {
    () => {
        "UPDATE outbox SET lease = NULL, lost = 0, last_error = sent.error, \
         dead_at = CASE WHEN outbox.generation = sent.generation THEN sent.now END, \
         next_at = CASE WHEN outbox.generation = sent.generation THEN next_at ELSE sent.now END, \
         attempts = CASE WHEN outbox.generation = sent.generation THEN attempts ELSE 0 END, \
         first_failed_at = \
         CASE WHEN outbox.generation = sent.generation THEN first_failed_at END \
         FROM (SELECT ? AS id, ? AS lease, ? AS generation, ? AS error, ? AS now) AS sent \
         WHERE outbox.id = sent.id AND outbox.lease = sent.lease"
    };
}

/// The values for [`dead_letter!`](crate::dead_letter).
pub fn dead_letter_values(token: ClaimToken, error: &str, now: OffsetDateTime) -> [Value<'_>; 5] {
    [
        token.task.0.into(),
        token.lease.into(),
        token.generation.into(),
        error.into(),
        now.into(),
    ]
}

/// The text of the statement that deletes the dead tasks which a condition names, and returns them
/// as they are [`listed!`](crate::listed).
#[macro_export]
macro_rules! dismiss {
    ($which:literal) => {
        concat!(
            "DELETE FROM outbox WHERE dead_at IS NOT NULL AND ",
            $which,
            " RETURNING ",
            $crate::listed!()
        )
    };
}
