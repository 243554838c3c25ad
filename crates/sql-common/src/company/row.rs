//! The rows of the table `companies`.

use diesel::sql_types::{Bool, Nullable, Text};
use domain::company::{Company, CompanyView, CompanyWrite, Kept, name_key, site};
use fields::{Website, WebsiteKey};
use kernel::{ClientId, CompanyId, StoreError};

use crate::{
    entity::Entity,
    read,
    stored::{array, parse_optional},
    types::{Id, Moment, StoredTime, ToText},
    written,
};

/// A company as a commit sends it, with the keys that it is found by.
#[derive(Clone, Debug)]
pub struct SentCompany {
    write: CompanyWrite,
    key: WebsiteKey,
    name_key: String,
    site: String,
}

impl SentCompany {
    pub fn of(write: &CompanyWrite) -> Self {
        let key = write.company.website.key();
        Self {
            name_key: name_key(&write.company.name),
            site: site(&key),
            key,
            write: write.clone(),
        }
    }
}

written! {
    /// What a commit sends of a company: the columns of an insert, and what an update sets.
    CompanySent = companies of SentCompany {
        id = Id(|sent| Some(sent.write.company.id.uuid())),
        name = Text(|sent| Some(&sent.write.company.name)),
        website = Text(|sent| Some(sent.write.company.website.as_str())),
        website_key = Text(|sent| Some(sent.key.as_str())),
        name_key = Text(|sent| Some(&sent.name_key)),
        site = Text(|sent| Some(&sent.site)),
        alias_of = Id(|sent| sent.write.company.alias_of.map(CompanyId::uuid)),
        logo_path = Text(|sent| sent.write.company.logo_path.as_deref()),
        owner = Id(|sent| sent.write.company.owner.map(ClientId::uuid)),
        keeps_name = Bool(|sent| sent.write.company.kept.name),
        keeps_logo = Bool(|sent| sent.write.company.kept.logo),
        at = Time(|sent| Some(sent.write.at)),
        by = Rendered(|sent| Some(&sent.write.by)),
        sets_name = Bool(|sent| sent.write.sets_name),
        sets_logo_path = Bool(|sent| sent.write.sets_logo_path),
        sets_owner = Bool(|sent| sent.write.sets_owner),
        sets_alias = Bool(|sent| sent.write.sets_alias),
        required_owner = Id(|sent| sent.write.required_owner.map(ClientId::uuid)),
        yields = Bool(|sent| sent.write.yields()),
        replaced = Rendered(|sent| {
            let names = &sent.write.replaced_names;
            (!names.is_empty()).then_some(names as &dyn ToText)
        }),
    }
}

read! {
    /// A company, without its former names.
    CompanyRow = companies {
        id: Id,
        name: Text,
        website: Text,
        logo_path: Nullable<Text>,
        owner: Nullable<Id>,
        keeps_name: Bool,
        keeps_logo: Bool,
        alias_of: Nullable<Id>,
    }
}

/// The SQL types of a [`CompanyViewRow`].
pub type CompanyViewColumns = (<CompanyRow as Entity>::Row, Moment, Moment, Nullable<Text>);

/// A company, when it was created, and its last change.
pub type CompanyViewRow = (CompanyRow, StoredTime, StoredTime, Option<String>);

/// A company with its last change.
pub fn company_view(
    (company, created_at, updated_at, updated_by): CompanyViewRow,
) -> Result<CompanyView, StoreError> {
    Ok(CompanyView {
        company: company.try_into()?,
        created_at: created_at.time("companies.created_at")?,
        updated_at: updated_at.time("companies.updated_at")?,
        updated_by: parse_optional(updated_by, "companies.updated_by")?,
    })
}

impl TryFrom<CompanyRow> for Company {
    type Error = StoreError;

    fn try_from(row: CompanyRow) -> Result<Self, StoreError> {
        let alias_of = row.alias_of.map(|id| id.uuid("companies.alias_of"));
        let owner = row.owner.map(|id| id.uuid("companies.owner")).transpose()?;
        Ok(Self {
            id: CompanyId::new(row.id.uuid("companies.id")?),
            name: row.name,
            website: Website::from_store(row.website),
            logo_path: row.logo_path,
            owner: owner.map(ClientId::new),
            kept: Kept {
                name: row.keeps_name,
                logo: row.keeps_logo,
            },
            alias_of: alias_of.transpose()?.map(CompanyId::new),
        })
    }
}

/// The former names of a company, from their column.
pub fn former_names(stored: &str) -> Result<Vec<String>, StoreError> {
    array(stored, "companies.former_names")
}
