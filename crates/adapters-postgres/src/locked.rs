use async_trait::async_trait;
use diesel::sql_types::{Text, Uuid as SqlUuid};
use domain::store::{LockedRows, RowLocks};
use kernel::{CompanyId, PostingId, StoreError};
use sql_common::statement;
use uuid::Uuid;

use crate::{
    PostgresStore,
    statement::{Value, load},
};

statement! {
    /// Locks the free rows for the statement's duration, and returns the others.
    Locked = r"
        WITH postings_free AS MATERIALIZED (
            SELECT id FROM postings WHERE id = ANY(:postings) FOR NO KEY UPDATE SKIP LOCKED
        ), companies_free AS MATERIALIZED (
            SELECT id FROM companies WHERE id = ANY(:companies) FOR NO KEY UPDATE SKIP LOCKED
        )
        SELECT 'posting', id FROM postings
        WHERE id = ANY(:postings) AND id NOT IN (SELECT id FROM postings_free)
        UNION ALL SELECT 'company', id FROM companies
        WHERE id = ANY(:companies) AND id NOT IN (SELECT id FROM companies_free)",
    returns (Text, SqlUuid)
}

#[async_trait]
impl LockedRows for PostgresStore {
    async fn locked_rows(&self, locks: &RowLocks) -> Result<RowLocks, StoreError> {
        let postings = Value::Uuids(locks.postings.iter().map(|id| id.uuid()).collect());
        let companies = Value::Uuids(locks.companies.iter().map(|id| id.uuid()).collect());
        let asked = [("postings", postings), ("companies", companies)];
        let work = self.query(async move |conn| Ok(load::<Locked, _>(conn, &asked).await?));
        let rows: Vec<(String, Uuid)> = work.await?;
        let mut locked = RowLocks::default();
        for (kind, id) in rows {
            match kind.as_str() {
                "posting" => locked.postings.insert(PostingId::new(id)),
                _ => locked.companies.insert(CompanyId::new(id)),
            };
        }
        Ok(locked)
    }
}
