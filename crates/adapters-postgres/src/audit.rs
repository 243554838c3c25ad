//! The table `audit`, and the port that reads it.

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use kernel::{
    StoreError,
    audit::{AuditLog, AuditQuery, Entry},
};
use sql_common::{
    audit::{AuditRow, Read},
    statement,
};

use crate::{
    PostgresStore,
    error::Failure,
    statement::{Value, columns, execute, load},
};

statement! {
    /// The entry of a finished run replaces the one written when the run began.
    Write =
    "INSERT INTO audit ({audit}) SELECT {audit sent} FROM unnest({audit ?}) AS sent ({audit}) \
     ON CONFLICT (id) DO UPDATE SET {audit.changing = excluded}",
    over [AuditRow]
}

/// Writes entries.
pub(crate) async fn write(conn: &mut AsyncPgConnection, entries: &[Entry]) -> Result<(), Failure> {
    let values: Vec<_> = columns::<AuditRow>(entries.iter()).collect();
    execute::<Write>(conn, &values).await?;
    Ok(())
}

#[async_trait]
impl AuditLog for PostgresStore {
    async fn entries(&self, query: &AuditQuery) -> Result<Vec<Entry>, StoreError> {
        let values = Read::values(query).map(Value::from);
        let rows: Vec<AuditRow> = self
            .connections
            .run(async move |conn| Ok(load::<Read, _>(conn, &values).await?))
            .await?;
        rows.into_iter().map(Entry::try_from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan},
    };

    #[tokio::test]
    async fn it_is_read_in_order() {
        let plan = plan(Read::text(), "(timestamptz, timestamptz, uuid, bigint)").await;
        assert_uses_index(&plan, "audit_newest");
        assert!(!plan.contains("Sort"), "{plan}");
    }
}
