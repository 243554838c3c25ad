//! The table `companies`.

use diesel::{ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper, pg::Pg};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    company::{Company, CompanyId, CompanyWrite, Website},
    store::WriteSet,
};
use uuid::Uuid;

use crate::{
    error::Failure,
    schema::companies,
    statement::{bools, execute, statement, texts, times, uuids},
    value::timestamp,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = companies, check_for_backend(Pg))]
pub(crate) struct CompanyRow {
    id: Uuid,
    name: String,
    website: String,
    logo_path: Option<String>,
}

impl From<CompanyRow> for Company {
    fn from(row: CompanyRow) -> Self {
        Self {
            id: CompanyId::new(row.id),
            name: row.name,
            website: Website::from_store(row.website),
            logo_path: row.logo_path,
        }
    }
}

/// The companies with these ids, as far as they exist.
pub(crate) async fn load(
    conn: &mut AsyncPgConnection,
    ids: Vec<Uuid>,
) -> Result<Vec<Company>, Failure> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<CompanyRow> = companies::table
        .filter(companies::id.eq_any(ids))
        .select(CompanyRow::as_select())
        .load(conn)
        .await?;
    Ok(rows.into_iter().map(Company::from).collect())
}

statement! {
    /// Sets no more of a company that exists than is asked for. What a write sets is no column
    /// of the table, so the update looks it up among the rows that were sent.
    Upsert =
    "WITH sent AS MATERIALIZED (SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?) \
     AS sent (id, name, website, logo_path, at, sets_name, sets_logo_path)) \
     INSERT INTO companies (id, name, website, logo_path, created_at, updated_at) \
     SELECT id, name, website, logo_path, at, at FROM sent \
     ON CONFLICT (id) DO UPDATE SET \
     name = CASE WHEN excluded.id IN (SELECT id FROM sent WHERE sets_name) \
     THEN excluded.name ELSE companies.name END, \
     logo_path = CASE WHEN excluded.id IN (SELECT id FROM sent WHERE sets_logo_path) \
     THEN excluded.logo_path ELSE companies.logo_path END, \
     updated_at = excluded.updated_at"
}

/// Inserts companies, or updates what the writes set of them, in the order of their ids.
pub(crate) async fn upsert(conn: &mut AsyncPgConnection, writes: &WriteSet) -> Result<(), Failure> {
    if writes.companies.is_empty() {
        return Ok(());
    }
    let rows: Vec<&CompanyWrite> = writes.companies.values().collect();
    execute::<Upsert>(
        conn,
        &[
            uuids(&rows, |write| write.company.id.uuid()),
            texts(&rows, |write| Some(&write.company.name)),
            texts(&rows, |write| Some(write.company.website.as_str())),
            texts(&rows, |write| write.company.logo_path.as_deref()),
            times(&rows, |write| Some(timestamp(write.at))),
            bools(&rows, |write| write.sets_name),
            bools(&rows, |write| write.sets_logo_path),
        ],
    )
    .await?;
    Ok(())
}
