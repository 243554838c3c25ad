//! How companies are written.

use diesel::sql_types::{Nullable, Text};
use domain::company::{Company, CompanyWrite, name_key, site};
use kernel::{ClientId, CompanyId};
use sql_common::{
    binds,
    company::{CompanyRow, former_names},
    entity::Entity,
    executor::{Executor, Outcome},
    statement,
    types::Rendered,
    value::Value,
};

statement! {
    Stored = "SELECT {companies read}, former_names FROM companies WHERE id = :id",
    over [CompanyRow],
    returns (<CompanyRow as Entity>::Row, Nullable<Text>)
}

statement! {
    /// Writes a company as it is afterwards.
    Write = r"
        INSERT INTO companies
            (id, name, website, website_key, name_key, site, alias_of, logo_path, owner, keeps_name,
                keeps_logo, former_names, created_at, updated_at, updated_by)
        VALUES (:id, :name, :website, :website_key, :name_key, :site, :alias_of, :logo_path, :owner,
            :keeps_name, :keeps_logo, :former_names, :at, :at, :by)
        ON CONFLICT (id) DO UPDATE SET
            name = excluded.name, name_key = excluded.name_key, alias_of = excluded.alias_of,
            logo_path = excluded.logo_path, owner = excluded.owner,
            keeps_name = excluded.keeps_name, keeps_logo = excluded.keeps_logo,
            former_names = coalesce(excluded.former_names, former_names),
            updated_at = iif(:is_same, updated_at, excluded.updated_at),
            updated_by = iif(:is_same, updated_by, excluded.updated_by)"
}

/// Inserts or updates a company; returns whether that changed anything. The transaction has the
/// database to itself, so that what is read here is still so when it is written.
pub(crate) async fn upsert(conn: &mut impl Executor, write: &CompanyWrite) -> Outcome<bool> {
    let id = write.company.id.uuid();
    let found: Vec<(CompanyRow, Option<String>)> = conn.load::<Stored, _>(binds! { id }).await?;
    let (stored, names) = match found.into_iter().next() {
        Some((row, names)) => (Some(Company::try_from(row)?), names),
        None => (None, None),
    };
    let names = names.map_or(Ok(Vec::new()), |names| former_names(&names))?;
    let stored_names = stored.as_ref().map(|it| (it.name.as_str(), &*names));
    let names = write.former_names(stored_names);
    let after = write.applied_to(stored.as_ref())?;
    // Only names that earlier commands of the commit set may be new then.
    let is_same = stored.as_ref() == Some(&after);
    if is_same && names.is_none() {
        return Ok(false);
    }
    let key = after.website.key();
    let (name_key, site) = (name_key(&after.name), site(&key));
    let written = binds! {
        id,
        name: &after.name,
        website: after.website.as_str(),
        website_key: key.as_str(),
        name_key: &name_key,
        site: &site,
        alias_of: after.alias_of.map(CompanyId::uuid),
        logo_path: &after.logo_path,
        owner: after.owner.map(ClientId::uuid),
        keeps_name: after.kept.name,
        keeps_logo: after.kept.logo,
        is_same,
        former_names: Value::Rendered(names.as_ref().map(|names| Rendered(names))),
        at: write.at,
        by: Value::Rendered(Some(Rendered(&write.by))),
    };
    conn.execute::<Write>(written).await?;
    Ok(true)
}
