//! What became of a posting.

use diesel::{
    ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper,
    pg::{Pg, data_types::PgTimestamp},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    Version,
    posting::{HistoryEntry, PostingId},
    store::{HISTORY_SHOWN, PostingWrite, StoreError, stored::word},
};

use crate::{
    error::Failure,
    schema::posting_history,
    statement::{Value, bigints, integers, texts, times, uuids},
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

/// The newest part of a posting's history up to a version of it, oldest first. Later entries belong
/// to commits that came after the posting was read.
pub(super) async fn load(
    conn: &mut AsyncPgConnection,
    posting: PostingId,
    version: Version,
) -> Result<Vec<HistoryEntry>, Failure> {
    let newest: Vec<HistoryRow> = posting_history::table
        .filter(posting_history::posting_id.eq(posting.uuid()))
        .filter(posting_history::version.le(version))
        .order((
            posting_history::version.desc(),
            posting_history::step.desc(),
        ))
        .limit(i64::try_from(HISTORY_SHOWN).unwrap_or(i64::MAX))
        .select(HistoryRow::as_select())
        .load(conn)
        .await?;
    Ok(newest
        .into_iter()
        .rev()
        .map(HistoryEntry::try_from)
        .collect::<Result<_, _>>()?)
}

/// An entry that a commit adds.
pub(super) struct Row<'a> {
    write: &'a PostingWrite,
    step: i32,
    entry: &'a HistoryEntry,
    actor: String,
}

/// What a commit adds to the history of a posting.
pub(super) fn rows(write: &PostingWrite) -> impl Iterator<Item = Row<'_>> {
    (0..).zip(&write.history).map(move |(step, entry)| Row {
        write,
        step,
        entry,
        actor: entry.by.to_string(),
    })
}

/// The columns of these entries.
pub(super) fn columns<'a>(rows: &'a [Row<'a>]) -> [Value<'a>; 7] {
    [
        uuids(rows, |row| row.write.posting.id.uuid()),
        bigints(rows, |row| Some(row.write.posting.version)),
        integers(rows, |row| row.step),
        times(rows, |row| Some(timestamp(row.entry.at))),
        texts(rows, |row| Some(row.entry.status.as_str())),
        texts(rows, |row| row.entry.reason.as_deref()),
        texts(rows, |row| Some(&row.actor)),
    ]
}
