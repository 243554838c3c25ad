//! The table `audit`, and the port that reads it.

use async_trait::async_trait;
use diesel::{
    Queryable, SqliteConnection,
    sql_types::{BigInt, Binary, Nullable, Text},
};
use domain::{
    audit::{Action, AuditLog, AuditPosition, AuditQuery, Entry},
    store::{
        StoreError,
        stored::{details, details_text},
    },
};
use uuid::Uuid;

use crate::{
    SqliteStore,
    error::Failure,
    statement::{execute, load, statement},
    value::{micros, time, uuid},
};

statement! {
    /// The details of a run that has ended replace those of its beginning.
    Write =
    "INSERT INTO audit (id, at, operator, action, subject, details) VALUES (?, ?, ?, ?, ?, ?) \
     ON CONFLICT (id) DO UPDATE SET details = excluded.details"
}

/// Writes an entry.
pub(crate) fn write(conn: &mut SqliteConnection, entry: &Entry) -> Result<(), Failure> {
    let details = details_text(&entry.details);
    let values = [
        (&entry.id).into(),
        micros(entry.at).into(),
        (&entry.by).into(),
        entry.action.as_str().into(),
        (&entry.subject).into(),
        (&details).into(),
    ];
    execute::<Write>(conn, &values)?;
    Ok(())
}

statement! {
    Read =
    "SELECT id, at, operator, action, subject, details FROM audit \
     WHERE at >= ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?",
    returns (Binary, BigInt, Text, Text, Nullable<Text>, Text)
}

#[derive(Queryable)]
struct Row {
    id: Vec<u8>,
    at: i64,
    operator: String,
    action: String,
    subject: Option<String>,
    details: String,
}

impl TryFrom<Row> for Entry {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: uuid(&row.id, "audit.id")?,
            at: time(row.at, "audit.at")?,
            by: row.operator,
            action: Action::from_store(row.action),
            subject: row.subject,
            details: details(&row.details, "audit.details")?,
        })
    }
}

#[async_trait]
impl AuditLog for SqliteStore {
    async fn entries(&self, query: &AuditQuery) -> Result<Vec<Entry>, StoreError> {
        let query = *query;
        let rows: Vec<Row> = self
            .connections
            .read(move |conn| {
                let before = query.before;
                let (at, id) = before
                    .map_or((i64::MAX, Uuid::max()), |AuditPosition { at, id }| {
                        (micros(at), id)
                    });
                let values = [
                    query.since.map_or(i64::MIN, micros).into(),
                    at.into(),
                    (&id).into(),
                    i64::try_from(query.limit).unwrap_or(i64::MAX).into(),
                ];
                Ok(load::<Read, _>(conn, &values)?)
            })
            .await?;
        rows.into_iter().map(Entry::try_from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::uses_index};

    #[tokio::test]
    async fn it_is_read_in_order() {
        uses_index(Read::TEXT, "audit_newest").await;
    }
}
