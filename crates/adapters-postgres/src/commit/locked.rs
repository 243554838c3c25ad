//! Finds rows that other transactions hold locked.

use std::collections::BTreeSet;

use diesel::sql_types::{Text, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use domain::store::RowLocks;
use kernel::{CompanyId, PostingId};
use uuid::Uuid;

use crate::{
    error::Failure,
    statement::{Value, load, statement},
};

statement! {
    /// Locks the rows that are free, for the length of this statement, and returns the others. A
    /// reference takes `FOR KEY SHARE`, the lock that a foreign key takes on the row it refers to.
    Locked =
    "WITH postings_free AS MATERIALIZED ( \
         SELECT id FROM postings WHERE id = ANY(?) FOR NO KEY UPDATE SKIP LOCKED \
     ), companies_free AS MATERIALIZED ( \
         SELECT id FROM companies WHERE id = ANY(?) FOR NO KEY UPDATE SKIP LOCKED \
     ), references_free AS MATERIALIZED ( \
         SELECT id FROM companies WHERE id = ANY(?) FOR KEY SHARE SKIP LOCKED \
     ) \
     SELECT 'posting', id FROM postings \
     WHERE id = ANY(?) AND id NOT IN (SELECT id FROM postings_free) \
     UNION ALL SELECT 'company', id FROM companies \
     WHERE id = ANY(?) AND id NOT IN (SELECT id FROM companies_free) \
     UNION ALL SELECT 'reference', id FROM companies \
     WHERE id = ANY(?) AND id NOT IN (SELECT id FROM references_free)",
    returns (Text, SqlUuid)
}

/// Returns those of these rows that other transactions hold locked.
pub(super) async fn find(
    conn: &mut AsyncPgConnection,
    locks: &RowLocks,
) -> Result<RowLocks, Failure> {
    let asked = [
        locks.postings.iter().map(|id| id.uuid()).collect(),
        ids(&locks.companies),
        ids(&locks.references),
    ]
    .map(Value::Uuids);
    let values = [asked.clone(), asked].concat();
    let rows: Vec<(String, Uuid)> = load::<Locked, _>(conn, &values).await?;
    let mut locked = RowLocks::default();
    for (kind, id) in rows {
        match kind.as_str() {
            "posting" => locked.postings.insert(PostingId::new(id)),
            "company" => locked.companies.insert(CompanyId::new(id)),
            _ => locked.references.insert(CompanyId::new(id)),
        };
    }
    Ok(locked)
}

fn ids(companies: &BTreeSet<CompanyId>) -> Vec<Uuid> {
    companies.iter().map(|id| id.uuid()).collect()
}
