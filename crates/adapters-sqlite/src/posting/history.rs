//! The table `posting_history`.

use diesel::{ExpressionMethods, QueryDsl, RunQueryDsl, SelectableHelper, SqliteConnection};
use domain::{
    posting::{HistoryEntry, Posting},
    store::HISTORY_SHOWN,
};
use kernel::PostingId;
use sql_common::{
    posting::{HistoryRow, history, posting_history},
    statement,
    types::StoredId,
};

use crate::{error::Failure, statement::execute};

/// Loads the newest entries of a posting's history, oldest first.
pub(super) fn load(
    conn: &mut SqliteConnection,
    posting: PostingId,
) -> Result<Vec<HistoryEntry>, Failure> {
    let newest = posting_history::table
        .filter(posting_history::posting_id.eq(StoredId::from(posting.uuid())))
        .order((
            posting_history::version.desc(),
            posting_history::step.desc(),
        ))
        .limit(i64::try_from(HISTORY_SHOWN).unwrap_or(i64::MAX))
        .select(HistoryRow::as_select())
        .load(conn)?;
    Ok(history(newest)?)
}

statement! {
    Insert =
    "INSERT INTO posting_history (posting_id, version, step, at, status, reason, actor) \
     VALUES (?, ?, ?, ?, ?, ?, ?)"
}

/// Adds the history entries of this commit for one posting.
pub(super) fn add(
    conn: &mut SqliteConnection,
    posting: &Posting,
    entries: &[HistoryEntry],
) -> Result<(), Failure> {
    for (step, entry) in (0..).zip(entries) {
        execute::<Insert>(
            conn,
            &[
                posting.id.uuid().into(),
                posting.version.into(),
                i64::into(step),
                entry.at.into(),
                entry.status.as_str().into(),
                (&entry.reason).into(),
                (&entry.by.to_string()).into(),
            ],
        )?;
    }
    Ok(())
}
