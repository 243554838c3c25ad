//! The table `companies`.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, RunQueryDsl, SelectableHelper, SqliteConnection};
use domain::company::{Company, CompanyReader, CompanyView, CompanyWrite};
use kernel::{ClientId, CompanyId, StoreError};
use sql_common::{
    company::{CompanyRow, CompanyViewRow, companies, former_names},
    statement,
    types::{Rendered, StoredId},
};

use crate::{
    IN_LIST, SqliteStore,
    error::Failure,
    statement::{Value, execute},
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
    /// Writes a company as it is afterwards.
    Write =
    "INSERT INTO companies \
     (id, name, website, logo_path, owner, former_names, created_at, updated_at, updated_by) \
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) \
     ON CONFLICT (id) DO UPDATE SET \
     name = excluded.name, logo_path = excluded.logo_path, owner = excluded.owner, \
     former_names = coalesce(excluded.former_names, former_names), \
     updated_at = iif(name IS excluded.name AND logo_path IS excluded.logo_path \
     AND owner IS excluded.owner, updated_at, excluded.updated_at), \
     updated_by = iif(name IS excluded.name AND logo_path IS excluded.logo_path \
     AND owner IS excluded.owner, updated_by, excluded.updated_by)"
}

/// Inserts or updates a company; returns whether that changed anything. The transaction has the
/// database to itself, so that what is read here is still so when it is written.
pub(crate) fn upsert(conn: &mut SqliteConnection, write: &CompanyWrite) -> Result<bool, Failure> {
    let id = write.company.id;
    let stored = load(conn, [&id])?.pop();
    let names = load_former_names(conn, [&id])?.remove(&id);
    let names = names.unwrap_or_default();
    let stored_names = stored.as_ref().map(|it| (it.name.as_str(), &*names));
    let names = write.former_names(stored_names);
    let after = write.applied_to(stored.as_ref())?;
    if stored.as_ref() == Some(&after) && names.is_none() {
        return Ok(false);
    }
    execute::<Write>(
        conn,
        &[
            id.uuid().into(),
            (&after.name).into(),
            after.website.as_str().into(),
            (&after.logo_path).into(),
            Value::Id(after.owner.map(ClientId::uuid)),
            Value::Rendered(names.as_ref().map(|names| Rendered(names))),
            write.at.into(),
            write.at.into(),
            Value::Rendered(Some(Rendered(&write.by))),
        ],
    )?;
    Ok(true)
}

#[async_trait]
impl CompanyReader for SqliteStore {
    async fn companies(&self, after: &str, limit: usize) -> Result<Vec<CompanyView>, StoreError> {
        let (after, limit) = (after.to_owned(), i64::try_from(limit).unwrap_or(i64::MAX));
        let load = move |conn: &mut SqliteConnection| {
            let page = companies::table
                .filter(companies::website.gt(after))
                .order(companies::website)
                .limit(limit)
                .select(CompanyViewRow::as_select());
            Ok(page.load::<CompanyViewRow>(conn)?)
        };
        let rows = self.connections.read(load).await?;
        rows.into_iter().map(CompanyView::try_from).collect()
    }

    async fn company(&self, id: CompanyId) -> Result<Option<CompanyView>, StoreError> {
        let id = StoredId::from(id.uuid());
        let load = move |conn: &mut SqliteConnection| {
            let found = companies::table
                .filter(companies::id.eq(id))
                .select(CompanyViewRow::as_select());
            Ok(found.load::<CompanyViewRow>(conn)?)
        };
        let rows = self.connections.read(load).await?;
        rows.into_iter()
            .next()
            .map(CompanyView::try_from)
            .transpose()
    }
}
