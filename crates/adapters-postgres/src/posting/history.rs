//! The table `posting_history`.

use diesel::{ExpressionMethods, QueryDsl, SelectableHelper};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    posting::HistoryEntry,
    store::{HISTORY_SHOWN, PostingWrite},
};
use kernel::{PostingId, Version};
use sql_common::{
    posting::{HistoryRow, history, posting_history},
    types::StoredId,
};

use crate::{
    error::Failure,
    statement::{Value, bigints, integers, texts, times, uuids},
};

/// Loads the newest entries of a posting's history up to this version, oldest first. Later entries
/// belong to commits after the posting was read.
pub(super) async fn load(
    conn: &mut AsyncPgConnection,
    posting: PostingId,
    version: Version,
) -> Result<Vec<HistoryEntry>, Failure> {
    let newest: Vec<HistoryRow> = posting_history::table
        .filter(posting_history::posting_id.eq(StoredId::from(posting.uuid())))
        .filter(posting_history::version.le(version))
        .order((
            posting_history::version.desc(),
            posting_history::step.desc(),
        ))
        .limit(i64::try_from(HISTORY_SHOWN).unwrap_or(i64::MAX))
        .select(HistoryRow::as_select())
        .load(conn)
        .await?;
    Ok(history(newest)?)
}

/// An entry that a commit adds.
pub(super) struct Row<'a> {
    write: &'a PostingWrite,
    step: i32,
    entry: &'a HistoryEntry,
    actor: String,
}

/// The history entries that a commit adds for one posting.
pub(super) fn rows(write: &PostingWrite) -> impl Iterator<Item = Row<'_>> {
    (0..).zip(&write.history).map(move |(step, entry)| Row {
        write,
        step,
        entry,
        actor: entry.by.to_string(),
    })
}

/// Returns the column arrays of these entries.
pub(super) fn columns<'a>(rows: &'a [Row<'a>]) -> [Value<'a>; 7] {
    [
        uuids(rows, |row| row.write.posting.id.uuid()),
        bigints(rows, |row| Some(row.write.posting.version)),
        integers(rows, |row| row.step),
        times(rows, |row| row.entry.at),
        texts(rows, |row| Some(row.entry.status.as_str())),
        texts(rows, |row| row.entry.reason.as_deref()),
        texts(rows, |row| Some(&row.actor)),
    ]
}
