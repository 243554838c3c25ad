//! Writes the companies of a commit. They are locked and merged with the stored ones.

use std::collections::{HashMap, HashSet};

use diesel::sql_types::{Nullable, Text};
use domain::{
    company::{Company, CompanyWrite, name_key, site},
    store::WriteSet,
};
use fields::WebsiteKey;
use kernel::{ClientId, CompanyId, event::CompanyState};

use super::CompanyRow;
use crate::{
    each,
    entity::row,
    executor::{Executor, Outcome},
    statement,
    stored::Decode,
    types::{Id, ToText},
    written,
};

/// A commit's companies after merging. `None` for an unchanged company.
pub type Merged = HashMap<CompanyId, Option<CompanyState>>;

#[derive(Clone, Debug)]
pub struct After {
    write: CompanyWrite,
    former_names: Option<Vec<String>>,
    key: WebsiteKey,
    name_key: String,
    site: String,
}

written! {
    CompanyAfter = companies of After {
        id = Id(|it| Some(it.write.company.id.uuid())),
        name = Text(|it| Some(&it.write.company.name)),
        website = Text(|it| Some(it.write.company.website.as_str())),
        website_key = Text(|it| Some(it.key.as_str())),
        name_key = Text(|it| Some(&it.name_key)),
        site = Text(|it| Some(&it.site)),
        alias_of = Id(|it| it.write.company.alias_of.map(CompanyId::uuid)),
        logo_path = Text(|it| it.write.company.logo_path.as_deref()),
        owner = Id(|it| it.write.company.owner.map(ClientId::uuid)),
        keeps_name = Bool(|it| it.write.company.kept.name),
        keeps_logo = Bool(|it| it.write.company.kept.logo),
        former_names = Document(|it| {
            let names = it.former_names.as_ref().filter(|names| !names.is_empty());
            names.map(|names| names as &dyn ToText)
        }),
        created_at = Time(|it| Some(it.write.at)),
        updated_at = Time(|it| Some(it.write.at)),
        updated_by = Rendered(|it| Some(&it.write.by)),
        merged_at = Time(|it| it.write.merged_at()),
    }
}

statement! {
    Stored = r"
        SELECT {companies read}, former_names FROM companies WHERE id = {each id}
        {postgres ORDER BY id FOR NO KEY UPDATE}",
    returns (CompanyRow, Nullable<Text>);

    /// Returns the ids of the inserted companies.
    Insert = r"
        INSERT INTO companies ({companies}) {companies rows} ON CONFLICT DO NOTHING RETURNING id",
    over [CompanyAfter],
    returns (Id,);

    Update = every r"
        UPDATE companies SET name = sent.name, name_key = sent.name_key, alias_of = sent.alias_of,
            logo_path = sent.logo_path, owner = sent.owner, keeps_name = sent.keeps_name,
            keeps_logo = sent.keeps_logo, former_names = sent.former_names{postgres ::json},
            updated_at = sent.updated_at, updated_by = sent.updated_by,
            merged_at = coalesce(sent.merged_at, companies.merged_at)
        FROM {companies given} WHERE companies.id = sent.id",
    over [CompanyAfter]
}

impl After {
    fn of(write: CompanyWrite, former_names: Option<Vec<String>>) -> Self {
        let key = write.company.website.key();
        Self {
            former_names,
            name_key: name_key(&write.company.name),
            site: site(&key),
            key,
            write,
        }
    }
}

/// Writes the companies of a commit. Companies have no version. An unset field keeps its stored
/// value, even if another commit added the company after the decision.
pub async fn merge(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<Merged> {
    let mut merged = Merged::new();
    if writes.companies.is_empty() {
        return Ok(merged);
    }
    let new = writes.companies.values().cloned();
    let new = new.map(|write| (write.former_names(None), write));
    let new: Vec<_> = new.map(|(names, write)| After::of(write, names)).collect();
    let new: Vec<_> = new.iter().map(row::<CompanyAfter>).collect();
    let ids = each! { writes.companies.keys(), id => id: id.uuid() };
    let (added, stored) = conn.load_two::<Insert, Stored>([&new, &ids], &[]).await?;
    let added = added.into_iter().map(|(id,)| id.uuid("companies.id"));
    let added = added.collect::<Result<HashSet<_>, _>>()?;
    let mut changed = Vec::new();
    for (row, names) in stored {
        let stored = Company::try_from(row)?;
        let Some(write) = writes.companies.get(&stored.id) else {
            continue;
        };
        if added.contains(&stored.id.uuid()) {
            merged.insert(stored.id, Some(write.state()));
            continue;
        }
        let names: Option<Vec<String>> = names.decode("companies.former_names")?;
        let names = names.unwrap_or_default();
        let company = write.applied_to(Some(&stored))?;
        let renamed = write.former_names(Some((&stored.name, &names)));
        if renamed.is_none() && stored == company {
            merged.insert(stored.id, None);
            continue;
        }
        let write = CompanyWrite {
            company,
            ..write.clone()
        };
        merged.insert(stored.id, Some(write.state()));
        changed.push(After::of(write, Some(renamed.unwrap_or(names))));
    }
    let changed: Vec<_> = changed.iter().map(row::<CompanyAfter>).collect();
    conn.execute_every::<Update>(&changed, &[]).await?;
    Ok(merged)
}
