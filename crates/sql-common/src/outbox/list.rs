use std::collections::HashSet;

use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::{
    StoreError,
    audit::Entry,
    outbox::{
        Backlog, Dismissal, Effect, Kind, MOST_COUNTED, Revive, SubjectTask, TaskId, TaskRow,
    },
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::each_effect;
use crate::{
    audit, binds, each,
    executor::{Executor, Outcome, values},
    read, statement,
    stored::{Decode, decode, most},
    types::{Count, Id, Moment},
    value::Named,
};

read! {
    ListedRow = outbox {
        id: BigInt,
        kind: Text,
        subject: Id,
        attempts: Count,
        next_at: Moment,
        last_error: Nullable<Text>,
        dead_at: Nullable<Moment>,
    }
}

decode! { row: ListedRow of outbox => TaskRow {
    kind, key: subject, attempts, next_at, last_error;
    id: TaskId(row.id),
} }

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
    ListDead = r"
        SELECT {outbox read} FROM outbox
        WHERE dead_at IS NOT NULL AND id > :after ORDER BY id LIMIT :limit",
    returns ListedRow;

    ListLiving = r"
        SELECT {outbox read} FROM outbox
        WHERE dead_at IS NULL AND id > :after ORDER BY id LIMIT :limit",
    returns ListedRow
}

pub async fn list(
    conn: &mut impl Executor,
    dead: bool,
    after: Option<TaskId>,
    limit: usize,
) -> Outcome<Vec<TaskRow>> {
    let after = after.map_or(i64::MIN, |after| after.0);
    let page = binds! { after, limit: most(limit) };
    let rows: Vec<ListedRow> = if dead {
        conn.load::<ListDead>(page).await?
    } else {
        conn.load::<ListLiving>(page).await?
    };
    values(rows)
}

statement! {
    TasksOf = r"
        SELECT {outbox read} FROM outbox
        WHERE kind = {each kind} AND subject = :subject ORDER BY id LIMIT :limit",
    returns ListedRow
}

pub async fn tasks_of(
    conn: &mut impl Executor,
    subject: Uuid,
    kinds: &[Kind],
    limit: usize,
) -> Outcome<Vec<SubjectTask>> {
    let asked = binds! { subject, limit: most(limit) };
    let mut rows = conn.load_each::<TasksOf>(&each_kind(kinds), asked).await?;
    rows.sort_unstable_by_key(|row| row.id);
    rows.truncate(limit);
    values(rows)
}

fn each_kind<'a>(kinds: &[Kind]) -> Vec<Vec<Named<'a>>> {
    each! { kinds, kind => kind: kind.as_str() }
}

statement! {
    DeadAmong = {
        postgres: r"
            SELECT sent.kind, sent.subject FROM {given kind text, subject uuid}
            WHERE (SELECT task.dead_at FROM outbox AS task
                WHERE task.kind = sent.kind AND task.subject = sent.subject) IS NOT NULL",
        sqlite: r"
            SELECT kind, subject FROM outbox
            WHERE kind = :kind AND subject = :subject AND dead_at IS NOT NULL",
    },
    returns (Text, Id)
}

pub async fn dead_among(conn: &mut impl Executor, effects: &[Effect]) -> Outcome<Vec<Effect>> {
    let rows = conn
        .load_each::<DeadAmong>(&each_effect(effects), &[])
        .await?;
    let dead = rows
        .into_iter()
        .map(|(kind, subject)| Ok((kind, subject.uuid("outbox.subject")?)));
    let dead = dead.collect::<Result<HashSet<_>, StoreError>>()?;
    let is_dead = |it: &&Effect| dead.contains(&(it.kind().as_str().to_owned(), it.key()));
    Ok(effects.iter().filter(is_dead).copied().collect())
}

statement! {
    /// Counts with the indexes of claimable and leased tasks, up to a limit. On SQLite, the lowest
    /// id is the oldest task.
    Waiting = {
        postgres: r"
            SELECT wanted.kind, least(count(*), wanted.most),
                min(task.created_at) FILTER (WHERE NOT task.is_bulk)
            FROM (SELECT unnest(:kind::text[]) AS kind, :most::bigint AS most) AS wanted CROSS JOIN LATERAL (
                (SELECT created_at, coalesce(lane, '') LIKE '%-bulk' AS is_bulk FROM outbox
                WHERE kind = wanted.kind AND dead_at IS NULL AND lease IS NULL
                LIMIT wanted.most)
                UNION ALL
                (SELECT created_at, coalesce(lane, '') LIKE '%-bulk' FROM outbox
                WHERE kind = wanted.kind AND lease IS NOT NULL LIMIT wanted.most)
            ) AS task GROUP BY wanted.kind, wanted.most",
        sqlite: r"
            SELECT :kind, min(waiting.tasks, :most), oldest.created_at FROM (
                SELECT count(*) AS tasks, min(iif(lane LIKE '%-bulk', NULL, id)) AS id FROM (
                    SELECT * FROM (SELECT id, lane FROM outbox
                        WHERE kind = :kind AND dead_at IS NULL AND lease IS NULL LIMIT :most)
                    UNION ALL
                    SELECT * FROM (SELECT id, lane FROM outbox
                        WHERE kind = :kind AND lease IS NOT NULL LIMIT :most)
                )
            ) AS waiting LEFT JOIN outbox AS oldest ON oldest.id = waiting.id",
    },
    returns (Text, BigInt, Nullable<Moment>);

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

pub async fn backlog(conn: &mut impl Executor, kinds: &[Kind]) -> Outcome<Vec<Backlog>> {
    let of = |&kind| Backlog {
        kind,
        waiting: 0,
        dead: 0,
        oldest: None,
    };
    let mut backlog: Vec<_> = kinds.iter().map(of).collect();
    let kinds = each_kind(kinds);
    let bound = binds! { most: most(MOST_COUNTED) };
    let rows = conn.load_each::<Waiting>(&kinds, bound).await?;
    for (name, waiting, oldest) in rows {
        for entry in backlog.iter_mut().filter(|it| it.kind.as_str() == name) {
            entry.waiting = waiting.unsigned_abs();
            entry.oldest = oldest.decode("outbox.created_at")?;
        }
    }
    let rows = conn.load_each::<Dead>(&kinds, bound).await?;
    for (name, dead) in rows {
        for entry in backlog.iter_mut().filter(|it| it.kind.as_str() == name) {
            entry.dead = dead.unsigned_abs();
        }
    }
    Ok(backlog)
}

fn revive_of(which: &str) -> String {
    format!(
        "UPDATE outbox SET dead_at = NULL, next_at = :now, attempts = 0,
            first_failed_at = NULL, last_error = NULL
        WHERE id IN (
            SELECT id FROM outbox WHERE dead_at IS NOT NULL{which}
            ORDER BY kind, subject, id {{postgres FOR UPDATE}}
        ) RETURNING id"
    )
}

statement! {
    ReviveAll = &revive_of(""),
    returns (BigInt,);

    ReviveSome = &revive_of(" AND id = {each id}"),
    returns (BigInt,)
}

fn each_task<'a>(tasks: &[TaskId]) -> Vec<Vec<Named<'a>>> {
    each! { tasks, task => id: task.0 }
}

pub async fn revive(
    conn: &mut impl Executor,
    which: &Revive,
    entry: Option<&Entry>,
    now: OffsetDateTime,
) -> Outcome<u64> {
    let now = binds! { now };
    let revived: Vec<(i64,)> = match which {
        Revive::All => conn.load::<ReviveAll>(now).await?,
        Revive::Tasks(tasks) => conn.load_each::<ReviveSome>(&each_task(tasks), now).await?,
    };
    let revived: Vec<_> = revived.into_iter().map(|(id,)| TaskId(id)).collect();
    let entry = entry.and_then(|entry| Revive::entry(entry, &revived));
    audit::write_entry(conn, entry.as_ref()).await?;
    Ok(revived.len() as u64)
}

statement! {
    Dismiss = {
        postgres: r"
            DELETE FROM outbox WHERE dead_at IS NOT NULL AND id IN (
                SELECT id FROM outbox WHERE dead_at IS NOT NULL AND id = ANY(:id)
                ORDER BY kind, subject, id FOR UPDATE
            ) RETURNING {outbox read}",
        sqlite: r"
            DELETE FROM outbox WHERE dead_at IS NOT NULL AND id = :id RETURNING {outbox read}",
    },
    returns ListedRow
}

pub async fn dismiss(
    conn: &mut impl Executor,
    tasks: &[TaskId],
    dismissal: &Dismissal,
) -> Outcome<u64> {
    let rows = conn.load_each::<Dismiss>(&each_task(tasks), &[]).await?;
    let dismissed: Vec<TaskRow> = values(rows)?;
    let entries: Vec<_> = dismissed.iter().map(|task| dismissal.entry(task)).collect();
    audit::write(conn, &entries).await?;
    Ok(entries.len() as u64)
}
