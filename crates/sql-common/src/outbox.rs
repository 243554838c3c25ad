//! The table `outbox`: its rows as claimed and as listed, and statements.

use std::collections::HashSet;

use diesel::{
    Queryable,
    sql_types::{BigInt, Nullable, Text},
};
use kernel::{
    StoreError,
    audit::Entry,
    outbox::{
        Backlog, ClaimToken, Claimed, Dismissal, Effect, Kind, MOST_COUNTED, Queue, Revive,
        SubjectTask, TaskId, TaskRow,
    },
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    audit, binds,
    executor::{Executor, Outcome, values},
    statement,
    stored::{count, most, trace},
    types::{Count, Id, Moment, StoredId, StoredTime, optional_time},
    value::Named,
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
macro_rules! listed {
    () => {
        "id, kind, subject, attempts, next_at, last_error, dead_at"
    };
}

/// The SQL types of a [`ListedRow`].
type ListedColumns = (
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
struct ListedRow {
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

statement! {
    ListDead = concat!(
        "SELECT ", listed!(), r" FROM outbox
        WHERE dead_at IS NOT NULL AND id > :after ORDER BY id LIMIT :limit"
    ),
    returns ListedColumns
}

statement! {
    ListLiving = concat!(
        "SELECT ", listed!(), r" FROM outbox
        WHERE dead_at IS NULL AND id > :after ORDER BY id LIMIT :limit"
    ),
    returns ListedColumns
}

/// Lists dead tasks, or all others; oldest first.
pub async fn list(
    conn: &mut impl Executor,
    dead: bool,
    after: Option<TaskId>,
    limit: usize,
) -> Outcome<Vec<TaskRow>> {
    let after = after.map_or(i64::MIN, |after| after.0);
    let page = binds! { after, limit: most(limit) };
    let rows: Vec<ListedRow> = if dead {
        conn.load::<ListDead, _>(page).await?
    } else {
        conn.load::<ListLiving, _>(page).await?
    };
    values(rows)
}

statement! {
    TasksOf = {
        postgres: concat!(
            "SELECT ", listed!(), r" FROM outbox
            WHERE kind = ANY(:kind) AND subject = :subject ORDER BY id LIMIT :limit"
        ),
        sqlite: concat!(
            "SELECT ", listed!(), r" FROM outbox
            WHERE kind = :kind AND subject = :subject ORDER BY id LIMIT :limit"
        ),
    },
    returns ListedColumns
}

/// The tasks of a subject, oldest first.
pub async fn tasks_of(
    conn: &mut impl Executor,
    subject: Uuid,
    kinds: &[Kind],
    limit: usize,
) -> Outcome<Vec<SubjectTask>> {
    let asked = binds! { subject, limit: most(limit) };
    let mut rows: Vec<ListedRow> = conn
        .load_each::<TasksOf, _>(&each_kind(kinds), asked)
        .await?;
    rows.sort_unstable_by_key(|row| row.id);
    rows.truncate(limit);
    values(rows)
}

/// Rows of one `:kind` each.
fn each_kind<'a>(kinds: &[Kind]) -> Vec<Vec<Named<'a>>> {
    let kinds = kinds.iter();
    kinds
        .map(|kind| binds! { kind: kind.as_str() }.to_vec())
        .collect()
}

statement! {
    /// Each effect is an index lookup.
    DeadAmong = {
        postgres: r"
            SELECT task.kind, task.subject FROM unnest(:kind, :subject) AS sent (kind, subject)
            JOIN outbox AS task ON task.kind = sent.kind AND task.subject = sent.subject
            WHERE task.dead_at IS NOT NULL",
        sqlite: r"
            SELECT kind, subject FROM outbox
            WHERE kind = :kind AND subject = :subject AND dead_at IS NOT NULL",
    },
    returns (Text, Id)
}

/// Returns those of these effects that have a dead task.
pub async fn dead_among(conn: &mut impl Executor, effects: &[Effect]) -> Outcome<Vec<Effect>> {
    let asked = effects.iter();
    let asked = asked.map(|it| binds! { kind: it.kind().as_str(), subject: it.key() }.to_vec());
    let asked: Vec<_> = asked.collect();
    let rows: Vec<(String, StoredId)> = conn.load_each::<DeadAmong, _>(&asked, &[]).await?;
    let dead = rows
        .into_iter()
        .map(|(kind, subject)| Ok((kind, subject.uuid("outbox.subject")?)));
    let dead = dead.collect::<Result<HashSet<_>, StoreError>>()?;
    let is_dead = |it: &&Effect| dead.contains(&(it.kind().as_str().to_owned(), it.key()));
    Ok(effects.iter().filter(is_dead).copied().collect())
}

statement! {
    /// Counts by the indexes of claimable and of leased tasks, each up to a bound. On SQLite ids
    /// are in the order written.
    Waiting = {
        postgres: r"
            SELECT wanted.kind, least(count(*), wanted.most),
                min(task.created_at) FILTER (WHERE NOT task.is_bulk)
            FROM (SELECT unnest(:kind) AS kind, :most AS most) AS wanted CROSS JOIN LATERAL (
                (SELECT created_at, coalesce(account, '') LIKE '%-bulk' AS is_bulk FROM outbox
                WHERE kind = wanted.kind AND dead_at IS NULL AND lease IS NULL
                LIMIT wanted.most)
                UNION ALL
                (SELECT created_at, coalesce(account, '') LIKE '%-bulk' FROM outbox
                WHERE kind = wanted.kind AND lease IS NOT NULL LIMIT wanted.most)
            ) AS task GROUP BY wanted.kind, wanted.most",
        sqlite: r"
            SELECT :kind, min(waiting.tasks, :most), oldest.created_at FROM (
                SELECT count(*) AS tasks, min(iif(account LIKE '%-bulk', NULL, id)) AS id FROM (
                    SELECT * FROM (SELECT id, account FROM outbox
                        WHERE kind = :kind AND dead_at IS NULL AND lease IS NULL LIMIT :most)
                    UNION ALL
                    SELECT * FROM (SELECT id, account FROM outbox
                        WHERE kind = :kind AND lease IS NOT NULL LIMIT :most)
                )
            ) AS waiting LEFT JOIN outbox AS oldest ON oldest.id = waiting.id",
    },
    returns (Text, BigInt, Nullable<Moment>)
}

statement! {
    Dead = {
        postgres: r"
            SELECT kind, count(*) FROM (
                SELECT kind FROM outbox WHERE dead_at IS NOT NULL LIMIT :most
            ) AS dead WHERE kind = ANY(:kind) GROUP BY kind",
        sqlite: r"
            SELECT :kind, count(*) FROM (
                SELECT id FROM outbox WHERE kind = :kind AND dead_at IS NOT NULL LIMIT :most
            )",
    },
    returns (Text, BigInt)
}

/// Counts the tasks of each of these kinds.
pub async fn backlog(conn: &mut impl Executor, kinds: &[Kind]) -> Outcome<Vec<Backlog>> {
    let of = |&kind| Backlog {
        kind,
        waiting: 0,
        dead: 0,
        oldest: None,
    };
    let mut backlog: Vec<_> = kinds.iter().map(of).collect();
    let (kinds, bound) = (
        each_kind(kinds),
        binds! { most: most(MOST_COUNTED) }.to_vec(),
    );
    let rows: Vec<(String, i64, Option<StoredTime>)> =
        conn.load_each::<Waiting, _>(&kinds, &bound).await?;
    for (name, waiting, oldest) in rows {
        for entry in backlog.iter_mut().filter(|it| it.kind.as_str() == name) {
            entry.waiting = waiting.unsigned_abs();
            entry.oldest = optional_time(oldest, "outbox.created_at")?;
        }
    }
    let rows: Vec<(String, i64)> = conn.load_each::<Dead, _>(&kinds, &bound).await?;
    for (name, dead) in rows {
        for entry in backlog.iter_mut().filter(|it| it.kind.as_str() == name) {
            entry.dead = dead.unsigned_abs();
        }
    }
    Ok(backlog)
}

/// Changes tasks whose leases are held, on PostgreSQL. A statement that locks several rows locks
/// them in the order of (`kind`, `subject`, `id`), which never change, so deadlocks cannot happen.
macro_rules! held {
    ($change:literal) => {
        concat!(
            "WITH held AS MATERIALIZED (
                SELECT task.id FROM unnest(:id, :lease) AS sent (id, lease)
                JOIN outbox AS task ON task.id = sent.id AND task.lease = sent.lease
                ORDER BY task.kind, task.subject, task.id FOR UPDATE OF task
            )
            UPDATE outbox SET next_at = :at",
            $change,
            " FROM held WHERE outbox.id = held.id"
        )
    };
}

statement! {
    Renew = {
        postgres: held!(""),
        sqlite: "UPDATE outbox SET next_at = :at WHERE id = :id AND lease = :lease",
    }
}

statement! {
    GiveBack = {
        postgres: held!(", lease = NULL, lost = 0"),
        sqlite: r"
            UPDATE outbox SET lease = NULL, lost = 0, next_at = :at
            WHERE id = :id AND lease = :lease",
    }
}

fn each_lease<'a>(tokens: &[ClaimToken]) -> Vec<Vec<Named<'a>>> {
    let tokens = tokens.iter();
    tokens
        .map(|it| binds! { id: it.task.0, lease: it.lease }.to_vec())
        .collect()
}

/// Extends those leases that still hold.
pub async fn renew(
    conn: &mut impl Executor,
    tokens: &[ClaimToken],
    at: OffsetDateTime,
) -> Outcome<()> {
    conn.execute_each::<Renew>(&each_lease(tokens), binds! { at })
        .await?;
    Ok(())
}

/// Ends those leases that still hold; their tasks become due at this time.
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
    /// One that was asked for again meanwhile becomes due at once, with its attempts reset.
    Retry = r"
        UPDATE outbox SET lease = NULL, lost = 0, last_error = sent.error,
            next_at = CASE WHEN outbox.generation = sent.generation
                THEN sent.next_at ELSE sent.now END,
            attempts = CASE WHEN outbox.generation = sent.generation THEN attempts ELSE 0 END,
            first_failed_at = CASE WHEN outbox.generation = sent.generation
                THEN coalesce(first_failed_at, sent.now) END
        FROM (SELECT :id AS id, :lease AS lease, :generation AS generation, :error AS error,
            :now AS now, :next_at AS next_at) AS sent
        WHERE outbox.id = sent.id AND outbox.lease = sent.lease"
}

/// Returns a task to its queue after a failed attempt.
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
    /// One that was asked for again meanwhile becomes due at once instead.
    MoveToDeadLetters = r"
        UPDATE outbox SET lease = NULL, lost = 0, last_error = sent.error,
            dead_at = CASE WHEN outbox.generation = sent.generation THEN sent.now END,
            next_at = CASE WHEN outbox.generation = sent.generation THEN next_at ELSE sent.now END,
            attempts = CASE WHEN outbox.generation = sent.generation THEN attempts ELSE 0 END,
            first_failed_at =
                CASE WHEN outbox.generation = sent.generation THEN first_failed_at END
        FROM (SELECT :id AS id, :lease AS lease, :generation AS generation, :error AS error,
            :now AS now) AS sent
        WHERE outbox.id = sent.id AND outbox.lease = sent.lease"
}

/// Gives a task up; false if the lease was lost.
pub async fn give_up(
    conn: &mut impl Executor,
    token: ClaimToken,
    error: &str,
    now: OffsetDateTime,
) -> Outcome<bool> {
    let values = failed(token, error, now);
    Ok(conn.execute::<MoveToDeadLetters>(&values).await? > 0)
}

/// Brings dead tasks back with a clean record. The argument is a condition.
macro_rules! revive {
    ($which:literal) => {
        concat!(
            "UPDATE outbox SET dead_at = NULL, next_at = :now, attempts = 0,
                first_failed_at = NULL, last_error = NULL
            WHERE id IN (
                SELECT id FROM outbox WHERE dead_at IS NOT NULL",
            $which,
            " ORDER BY kind, subject, id {postgres FOR UPDATE}
            )"
        )
    };
}

statement! {
    ReviveAll = revive!("")
}

statement! {
    ReviveSome = {
        postgres: revive!(" AND id = ANY(:id)"),
        sqlite: revive!(" AND id = :id"),
    }
}

fn each_task<'a>(tasks: &[TaskId]) -> Vec<Vec<Named<'a>>> {
    let tasks = tasks.iter();
    tasks.map(|task| binds! { id: task.0 }.to_vec()).collect()
}

/// Brings dead tasks back, in a transaction of the caller's, and counts them.
pub async fn revive(
    conn: &mut impl Executor,
    which: &Revive,
    entry: Option<Entry>,
    now: OffsetDateTime,
) -> Outcome<u64> {
    let now = binds! { now };
    let revived = match which {
        Revive::All => conn.execute::<ReviveAll>(now).await?,
        Revive::Tasks(tasks) => {
            conn.execute_each::<ReviveSome>(&each_task(tasks), now)
                .await?
        }
    };
    let revived = u64::try_from(revived).unwrap_or(u64::MAX);
    let entry = entry.filter(|_| revived > 0);
    let entry = entry.map(|entry| entry.with("tasks", revived));
    audit::write_entry(conn, entry.as_ref()).await?;
    Ok(revived)
}

statement! {
    Dismiss = {
        postgres: concat!(
            "DELETE FROM outbox WHERE dead_at IS NOT NULL AND id IN (
                SELECT id FROM outbox WHERE dead_at IS NOT NULL AND id = ANY(:id)
                ORDER BY kind, subject, id FOR UPDATE
            ) RETURNING ", listed!()
        ),
        sqlite: concat!(
            "DELETE FROM outbox WHERE dead_at IS NOT NULL AND id = :id RETURNING ", listed!()
        ),
    },
    returns ListedColumns
}

/// Deletes those of these tasks that are dead, in a transaction of the caller's, and counts them.
pub async fn dismiss(
    conn: &mut impl Executor,
    tasks: &[TaskId],
    dismissal: &Dismissal,
) -> Outcome<u64> {
    let rows: Vec<ListedRow> = conn.load_each::<Dismiss, _>(&each_task(tasks), &[]).await?;
    let dismissed: Vec<TaskRow> = values(rows)?;
    let entries: Vec<_> = dismissed.iter().map(|task| dismissal.entry(task)).collect();
    audit::write(conn, &entries).await?;
    Ok(entries.len() as u64)
}

/// The port [`Outbox`](kernel::outbox::Outbox). How tasks are claimed is each store's own: `claim_due`,
/// `look_for_suspect`, `claim_lost`.
#[macro_export]
macro_rules! outbox {
    ($store:ty) => {
        const _: () = {
            use kernel::{
                StoreError,
                audit::Entry,
                outbox::{
                    Backlog, ClaimToken, Claimed, Dismissal, Effect, Kind, Outbox, Queue, Revive,
                    SubjectTask, TaskId, TaskRow,
                },
            };
            use time::{Duration, OffsetDateTime};
            use uuid::Uuid;
            use $crate::outbox;

            #[async_trait::async_trait]
            impl Outbox for $store {
                async fn claim(
                    &self,
                    queue: Queue,
                    limit: usize,
                    lease: Duration,
                    lease_id: Uuid,
                    now: OffsetDateTime,
                ) -> Result<Vec<Claimed>, StoreError> {
                    if limit == 0 {
                        return Ok(Vec::new());
                    }
                    self.claim_due(queue, limit, lease_id, now, now + lease)
                        .await
                }

                async fn has_suspect(
                    &self,
                    queue: Queue,
                    now: OffsetDateTime,
                ) -> Result<bool, StoreError> {
                    self.look_for_suspect(queue, now).await
                }

                async fn claim_suspect(
                    &self,
                    queue: Queue,
                    lease: Duration,
                    lease_id: Uuid,
                    now: OffsetDateTime,
                ) -> Result<Option<Claimed>, StoreError> {
                    let claimed = self.claim_lost(queue, lease_id, now, now + lease).await?;
                    Ok(claimed.into_iter().next())
                }

                async fn renew(
                    &self,
                    tokens: &[ClaimToken],
                    until: OffsetDateTime,
                ) -> Result<(), StoreError> {
                    if tokens.is_empty() {
                        return Ok(());
                    }
                    let tokens = tokens.to_vec();
                    self.repeatable(
                        async move |conn| Ok(outbox::renew(conn, &tokens, until).await?),
                    )
                    .await
                }

                async fn give_back(
                    &self,
                    tokens: &[ClaimToken],
                    at: OffsetDateTime,
                ) -> Result<(), StoreError> {
                    if tokens.is_empty() {
                        return Ok(());
                    }
                    let tokens = tokens.to_vec();
                    self.repeatable(async move |conn| {
                        Ok(outbox::give_back(conn, &tokens, at).await?)
                    })
                    .await
                }

                async fn retry(
                    &self,
                    token: ClaimToken,
                    next_at: OffsetDateTime,
                    error: &str,
                    now: OffsetDateTime,
                ) -> Result<(), StoreError> {
                    let error = error.to_owned();
                    self.repeatable(async move |conn| {
                        Ok(outbox::retry(conn, token, next_at, &error, now).await?)
                    })
                    .await
                }

                async fn give_up(
                    &self,
                    token: ClaimToken,
                    error: &str,
                    now: OffsetDateTime,
                ) -> Result<(), StoreError> {
                    let error = error.to_owned();
                    self.repeatable(async move |conn| {
                        outbox::give_up(conn, token, &error, now).await?;
                        Ok(())
                    })
                    .await
                }

                async fn list(
                    &self,
                    dead: bool,
                    after: Option<TaskId>,
                    limit: usize,
                ) -> Result<Vec<TaskRow>, StoreError> {
                    self.query(async move |conn| Ok(outbox::list(conn, dead, after, limit).await?))
                        .await
                }

                async fn dead_among(&self, effects: &[Effect]) -> Result<Vec<Effect>, StoreError> {
                    let effects = effects.to_vec();
                    self.query(async move |conn| Ok(outbox::dead_among(conn, &effects).await?))
                        .await
                }

                async fn tasks_of(
                    &self,
                    subject: Uuid,
                    kinds: &[Kind],
                    limit: usize,
                ) -> Result<Vec<SubjectTask>, StoreError> {
                    let kinds = kinds.to_vec();
                    self.query(async move |conn| {
                        Ok(outbox::tasks_of(conn, subject, &kinds, limit).await?)
                    })
                    .await
                }

                async fn revive(
                    &self,
                    which: &Revive,
                    entry: Option<&Entry>,
                    now: OffsetDateTime,
                ) -> Result<u64, StoreError> {
                    let (which, entry) = (which.clone(), entry.cloned());
                    self.transaction(async move |conn| {
                        Ok(outbox::revive(conn, &which, entry, now).await?)
                    })
                    .await
                }

                async fn dismiss(
                    &self,
                    tasks: &[TaskId],
                    dismissal: &Dismissal,
                ) -> Result<u64, StoreError> {
                    let (tasks, dismissal) = (tasks.to_vec(), dismissal.clone());
                    self.transaction(async move |conn| {
                        Ok(outbox::dismiss(conn, &tasks, &dismissal).await?)
                    })
                    .await
                }

                async fn backlog(&self, kinds: &[Kind]) -> Result<Vec<Backlog>, StoreError> {
                    let kinds = kinds.to_vec();
                    self.query(async move |conn| Ok(outbox::backlog(conn, &kinds).await?))
                        .await
                }
            }
        };
    };
}
