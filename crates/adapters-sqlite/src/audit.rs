//! The table `audit`, and the port that reads it.

use async_trait::async_trait;
use diesel::SqliteConnection;
use kernel::{
    StoreError,
    audit::{AuditLog, AuditQuery, Entry},
};
use sql_common::{
    audit::{AuditRow, Read},
    statement,
};

use crate::{
    SqliteStore,
    error::Failure,
    statement::{execute, load, row},
};

statement! {
    /// The entry of a finished run replaces the one written when the run began.
    Write =
    "INSERT INTO audit ({audit}) VALUES ({audit ?}) \
     ON CONFLICT (id) DO UPDATE SET {audit.changing = excluded}",
    over [AuditRow]
}

/// Writes an entry.
pub(crate) fn write(conn: &mut SqliteConnection, entry: &Entry) -> Result<(), Failure> {
    execute::<Write>(conn, &row::<AuditRow>(entry))?;
    Ok(())
}

#[async_trait]
impl AuditLog for SqliteStore {
    async fn entries(&self, query: &AuditQuery) -> Result<Vec<Entry>, StoreError> {
        let values = Read::values(query);
        let rows: Vec<AuditRow> = self
            .connections
            .read(move |conn| Ok(load::<Read, _>(conn, &values)?))
            .await?;
        rows.into_iter().map(Entry::try_from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::assert_uses_index};

    #[tokio::test]
    async fn it_is_read_in_order() {
        assert_uses_index(Read::text(), "audit_newest").await;
    }
}
