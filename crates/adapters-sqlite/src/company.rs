//! The table `companies`.

use diesel::{ExpressionMethods, QueryDsl, RunQueryDsl, SelectableHelper, SqliteConnection};
use domain::company::{Company, CompanyId, CompanyWrite};
use sql_common::{
    company::{CompanyRow, companies},
    statement,
    types::StoredId,
};

use crate::{IN_LIST, error::Failure, statement::execute};

/// Loads the companies with these ids.
pub(crate) fn load<'a>(
    conn: &mut SqliteConnection,
    ids: impl IntoIterator<Item = &'a CompanyId>,
) -> Result<Vec<Company>, Failure> {
    let ids: Vec<_> = ids
        .into_iter()
        .map(|id| StoredId::from(id.uuid()))
        .collect();
    let mut found = Vec::with_capacity(ids.len());
    for ids in ids.chunks(IN_LIST) {
        let rows = companies::table
            .filter(companies::id.eq_any(ids))
            .select(CompanyRow::as_select())
            .load(conn)?;
        for row in rows {
            found.push(row.try_into()?);
        }
    }
    Ok(found)
}

statement! {
    /// Updates only the fields to be set, and only if that changes any.
    Upsert =
    "INSERT INTO companies (id, name, website, logo_path, created_at, updated_at) \
     VALUES (?, ?, ?, ?, ?, ?) \
     ON CONFLICT (id) DO UPDATE SET \
     name = CASE WHEN ? THEN excluded.name ELSE name END, \
     logo_path = CASE WHEN ? THEN excluded.logo_path ELSE logo_path END, \
     updated_at = excluded.updated_at \
     WHERE (? AND excluded.name <> name) OR (? AND excluded.logo_path IS NOT logo_path)"
}

/// Inserts or updates a company; returns whether that changed anything.
pub(crate) fn upsert(conn: &mut SqliteConnection, write: &CompanyWrite) -> Result<bool, Failure> {
    let CompanyWrite {
        company,
        sets_name,
        sets_logo_path,
        at,
    } = write;
    let written = execute::<Upsert>(
        conn,
        &[
            company.id.uuid().into(),
            (&company.name).into(),
            company.website.as_str().into(),
            (&company.logo_path).into(),
            (*at).into(),
            (*at).into(),
            (*sets_name).into(),
            (*sets_logo_path).into(),
            (*sets_name).into(),
            (*sets_logo_path).into(),
        ],
    )?;
    Ok(written > 0)
}
