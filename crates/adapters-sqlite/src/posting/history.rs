//! What became of a posting.

use diesel::{
    ExpressionMethods, QueryDsl, Queryable, RunQueryDsl, Selectable, SelectableHelper,
    SqliteConnection, sqlite::Sqlite,
};
use domain::{
    posting::{HistoryEntry, Posting, PostingId},
    store::{HISTORY_SHOWN, StoreError, stored::word},
};

use crate::{
    error::Failure,
    schema::posting_history,
    statement::{execute, statement},
    value::{micros, time},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = posting_history, check_for_backend(Sqlite))]
struct HistoryRow {
    status: String,
    at: i64,
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

/// The newest part of a posting's history, oldest first.
pub(super) fn load(
    conn: &mut SqliteConnection,
    posting: PostingId,
) -> Result<Vec<HistoryEntry>, Failure> {
    let newest = posting_history::table
        .filter(posting_history::posting_id.eq(posting.uuid().as_bytes().as_slice()))
        .order((
            posting_history::version.desc(),
            posting_history::step.desc(),
        ))
        .limit(i64::try_from(HISTORY_SHOWN).unwrap_or(i64::MAX))
        .select(HistoryRow::as_select())
        .load(conn)?;
    Ok(newest
        .into_iter()
        .rev()
        .map(HistoryEntry::try_from)
        .collect::<Result<_, _>>()?)
}

statement! {
    Insert =
    "INSERT INTO posting_history (posting_id, version, step, at, status, reason, actor) \
     VALUES (?, ?, ?, ?, ?, ?, ?)"
}

/// Adds what the commit of this version of a posting brings about.
pub(super) fn add(
    conn: &mut SqliteConnection,
    posting: &Posting,
    entries: &[HistoryEntry],
) -> Result<(), Failure> {
    for (step, entry) in (0..).zip(entries) {
        execute::<Insert>(
            conn,
            &[
                (&posting.id.uuid()).into(),
                posting.version.into(),
                i64::into(step),
                micros(entry.at).into(),
                entry.status.as_str().into(),
                (&entry.reason).into(),
                (&entry.by.to_string()).into(),
            ],
        )?;
    }
    Ok(())
}
