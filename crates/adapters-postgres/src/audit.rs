//! The table `audit`, and the port that reads it.

use async_trait::async_trait;
use diesel::{
    Queryable,
    pg::data_types::PgTimestamp,
    sql_types::{Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::{Action, AuditLog, AuditPosition, AuditQuery, Entry},
    store::{
        StoreError,
        stored::{details, details_text},
    },
};
use uuid::Uuid;

use crate::{
    PostgresStore,
    error::Failure,
    statement::{Value, execute, load, statement, texts, times, uuids},
    value::{time, timestamp},
};

statement! {
    /// The details of a run that has ended replace those of its beginning.
    Write =
    "INSERT INTO audit (id, at, operator, action, subject, details) \
     SELECT id, at, operator, action, subject, details::json \
     FROM unnest(?, ?, ?, ?, ?, ?) AS sent (id, at, operator, action, subject, details) \
     ON CONFLICT (id) DO UPDATE SET details = excluded.details"
}

/// Writes entries.
pub(crate) async fn write(conn: &mut AsyncPgConnection, entries: &[Entry]) -> Result<(), Failure> {
    let details: Vec<_> = entries
        .iter()
        .map(|entry| details_text(&entry.details))
        .collect();
    let values = [
        uuids(entries, |entry| entry.id),
        times(entries, |entry| Some(timestamp(entry.at))),
        texts(entries, |entry| Some(entry.by.as_str())),
        texts(entries, |entry| Some(entry.action.as_str())),
        texts(entries, |entry| entry.subject.as_deref()),
        texts(&details, |details| Some(details.as_str())),
    ];
    execute::<Write>(conn, &values).await?;
    Ok(())
}

statement! {
    Read =
    "SELECT id, at, operator, action, subject, details::text FROM audit \
     WHERE at >= ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?",
    returns (SqlUuid, Timestamptz, Text, Text, Nullable<Text>, Text)
}

#[derive(Queryable)]
struct Row {
    id: Uuid,
    at: PgTimestamp,
    operator: String,
    action: String,
    subject: Option<String>,
    details: String,
}

impl TryFrom<Row> for Entry {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.id,
            at: time(row.at, "audit.at")?,
            by: row.operator,
            action: Action::from_store(row.action),
            subject: row.subject,
            details: details(&row.details, "audit.details")?,
        })
    }
}

/// The end of time as PostgreSQL knows it, and its beginning.
const INFINITY: PgTimestamp = PgTimestamp(i64::MAX);
const BEGINNING: PgTimestamp = PgTimestamp(i64::MIN);

#[async_trait]
impl AuditLog for PostgresStore {
    async fn entries(&self, query: &AuditQuery) -> Result<Vec<Entry>, StoreError> {
        let query = *query;
        let rows: Vec<Row> = self
            .connections
            .run(async move |conn| {
                let before = query.before;
                let (at, id) = before
                    .map_or((INFINITY, Uuid::max()), |AuditPosition { at, id }| {
                        (timestamp(at), id)
                    });
                let values = [
                    Value::Time(query.since.map_or(BEGINNING, timestamp)),
                    Value::Time(at),
                    Value::Uuid(id),
                    Value::BigInt(i64::try_from(query.limit).unwrap_or(i64::MAX)),
                ];
                Ok(load::<Read, _>(conn, &values).await?)
            })
            .await?;
        rows.into_iter().map(Entry::try_from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{goes_by, plan},
    };

    #[tokio::test]
    async fn it_is_read_in_order() {
        let plan = plan(Read::TEXT, "(timestamptz, timestamptz, uuid, bigint)").await;
        goes_by(&plan, "audit_newest");
        assert!(!plan.contains("Sort"), "{plan}");
    }
}
