//! What became of a posting.

use diesel::{
    ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper,
    pg::{Pg, data_types::PgTimestamp},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    posting::{HistoryEntry, PostingId, Version},
    store::{PostingWrite, StoreError, stored::word},
};

use crate::{
    error::Failure,
    schema::posting_history,
    statement::{Value, bigints, execute, integers, statement, texts, times, uuids},
    value::{time, timestamp},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = posting_history, check_for_backend(Pg))]
struct HistoryRow {
    status: String,
    at: PgTimestamp,
    reason: Option<String>,
    actor: String,
}

impl TryFrom<HistoryRow> for HistoryEntry {
    type Error = StoreError;

    fn try_from(row: HistoryRow) -> Result<Self, StoreError> {
        Ok(Self {
            status: word(row.status, "posting_history.status")?,
            at: time(row.at, "posting_history.at")?,
            reason: row.reason,
            by: word(row.actor, "posting_history.actor")?,
        })
    }
}

/// A posting's history up to a version of it, oldest first. Later entries belong to commits
/// that came after the posting was read.
pub(super) async fn load(
    conn: &mut AsyncPgConnection,
    posting: PostingId,
    version: Version,
) -> Result<Vec<HistoryEntry>, Failure> {
    let rows: Vec<HistoryRow> = posting_history::table
        .filter(posting_history::posting_id.eq(posting.uuid()))
        .filter(posting_history::version.le(version))
        .order((posting_history::version.asc(), posting_history::step.asc()))
        .select(HistoryRow::as_select())
        .load(conn)
        .await?;
    Ok(rows
        .into_iter()
        .map(HistoryEntry::try_from)
        .collect::<Result<_, _>>()?)
}

statement! {
    Insert =
    "INSERT INTO posting_history (posting_id, version, step, at, status, reason, actor) \
     SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?)"
}

/// Adds what a commit brings about.
pub(super) async fn add(
    conn: &mut AsyncPgConnection,
    writes: &[&PostingWrite],
) -> Result<(), Failure> {
    struct Row<'a> {
        write: &'a PostingWrite,
        step: i32,
        entry: &'a HistoryEntry,
        actor: String,
    }

    let rows: Vec<_> = writes
        .iter()
        .flat_map(|write| {
            (0..).zip(&write.history).map(|(step, entry)| Row {
                write,
                step,
                entry,
                actor: entry.by.to_string(),
            })
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let columns: [Value<'_>; 7] = [
        uuids(&rows, |row| row.write.posting.id.uuid()),
        bigints(&rows, |row| Some(row.write.posting.version)),
        integers(&rows, |row| row.step),
        times(&rows, |row| Some(timestamp(row.entry.at))),
        texts(&rows, |row| Some(row.entry.status.as_str())),
        texts(&rows, |row| row.entry.reason.as_deref()),
        texts(&rows, |row| Some(&row.actor)),
    ];
    execute::<Insert>(conn, &columns).await?;
    Ok(())
}
