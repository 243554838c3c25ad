//! The table `companies`.

use diesel::{Queryable, Selectable};
use domain::company::{Company, CompanyView};
use kernel::{ClientId, CompanyId, StoreError, Website};

use crate::{
    stored::{array, parse_optional},
    types::{StoredId, StoredTime},
};

diesel::table! {
    use diesel::sql_types::{Nullable, Text};

    use crate::types::{Id, Moment};

    companies (id) {
        id -> Id,
        name -> Text,
        website -> Text,
        logo_path -> Nullable<Text>,
        owner -> Nullable<Id>,
        former_names -> Nullable<Text>,
        created_at -> Moment,
        updated_at -> Moment,
        updated_by -> Nullable<Text>,
    }
}

/// A company, without its former names.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = companies)]
pub struct CompanyRow {
    id: StoredId,
    name: String,
    website: String,
    logo_path: Option<String>,
    owner: Option<StoredId>,
}

/// A company with its last change.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = companies)]
pub struct CompanyViewRow {
    #[diesel(embed)]
    company: CompanyRow,
    created_at: StoredTime,
    updated_at: StoredTime,
    updated_by: Option<String>,
}

impl TryFrom<CompanyViewRow> for CompanyView {
    type Error = StoreError;

    fn try_from(row: CompanyViewRow) -> Result<Self, StoreError> {
        Ok(Self {
            company: row.company.try_into()?,
            created_at: row.created_at.time("companies.created_at")?,
            updated_at: row.updated_at.time("companies.updated_at")?,
            updated_by: parse_optional(row.updated_by, "companies.updated_by")?,
        })
    }
}

impl TryFrom<CompanyRow> for Company {
    type Error = StoreError;

    fn try_from(row: CompanyRow) -> Result<Self, StoreError> {
        let owner = row.owner.map(|id| id.uuid("companies.owner")).transpose()?;
        Ok(Self {
            id: CompanyId::new(row.id.uuid("companies.id")?),
            name: row.name,
            website: Website::from_store(row.website),
            logo_path: row.logo_path,
            owner: owner.map(ClientId::new),
        })
    }
}

/// The former names of a company, from their column.
pub fn former_names(stored: &str) -> Result<Vec<String>, StoreError> {
    array(stored, "companies.former_names")
}
