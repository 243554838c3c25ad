//! The table `companies`.

use std::collections::HashMap;

use diesel::{
    ExpressionMethods, QueryDsl, RunQueryDsl, SelectableHelper, SqliteConnection,
    sql_types::{Nullable, Text},
};
use domain::company::{Company, CompanyId, CompanyWrite};
use sql_common::{
    company::{CompanyRow, companies, former_names},
    statement,
    types::{Rendered, StoredId},
};

use crate::{
    IN_LIST,
    error::Failure,
    statement::{Value, execute, load as load_rows},
};

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

/// Loads the former names of the companies with these ids, of those that have any.
pub(crate) fn load_former_names<'a>(
    conn: &mut SqliteConnection,
    ids: impl IntoIterator<Item = &'a CompanyId>,
) -> Result<HashMap<CompanyId, Vec<String>>, Failure> {
    let ids: Vec<_> = ids
        .into_iter()
        .map(|id| StoredId::from(id.uuid()))
        .collect();
    let mut found = HashMap::new();
    for ids in ids.chunks(IN_LIST) {
        let rows: Vec<(StoredId, Option<String>)> = companies::table
            .filter(companies::id.eq_any(ids))
            .filter(companies::former_names.is_not_null())
            .select((companies::id, companies::former_names))
            .load(conn)?;
        for (id, names) in rows {
            let Some(names) = names else { continue };
            let id = CompanyId::new(id.uuid("companies.id")?);
            found.insert(id, former_names(&names)?);
        }
    }
    Ok(found)
}

statement! {
    Stored = "SELECT name, former_names FROM companies WHERE id = ?",
    returns (Text, Nullable<Text>)
}

statement! {
    /// Updates only the fields to be set, and only if that changes any.
    Upsert =
    "INSERT INTO companies (id, name, website, logo_path, former_names, created_at, updated_at) \
     VALUES (?, ?, ?, ?, ?, ?, ?) \
     ON CONFLICT (id) DO UPDATE SET \
     name = CASE WHEN ? THEN excluded.name ELSE name END, \
     logo_path = CASE WHEN ? THEN excluded.logo_path ELSE logo_path END, \
     former_names = coalesce(excluded.former_names, former_names), \
     updated_at = excluded.updated_at \
     WHERE (? AND excluded.name <> name) OR (? AND excluded.logo_path IS NOT logo_path) \
     OR excluded.former_names IS NOT NULL"
}

/// Inserts or updates a company; returns whether that changed anything.
pub(crate) fn upsert(conn: &mut SqliteConnection, write: &CompanyWrite) -> Result<bool, Failure> {
    let CompanyWrite {
        company,
        sets_name,
        sets_logo_path,
        at,
        ..
    } = write;
    let stored: Vec<(String, Option<String>)> =
        load_rows::<Stored, _>(conn, &[company.id.uuid().into()])?;
    let stored = stored.into_iter().next();
    let names = stored.as_ref().and_then(|(_, names)| names.as_deref());
    let names = names.map(former_names).transpose()?.unwrap_or_default();
    let name = stored.as_ref().map(|(name, _)| name.as_str());
    let names = write.former_names(name.map(|name| (name, names.as_slice())));
    let written = execute::<Upsert>(
        conn,
        &[
            company.id.uuid().into(),
            (&company.name).into(),
            company.website.as_str().into(),
            (&company.logo_path).into(),
            Value::Rendered(names.as_ref().map(|names| Rendered(names))),
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
