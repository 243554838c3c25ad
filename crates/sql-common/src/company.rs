//! The table `companies`.

use diesel::{Queryable, Selectable};
use domain::{
    company::{Company, CompanyId, Website},
    store::StoreError,
};

use crate::{stored::array, types::StoredId};

diesel::table! {
    use diesel::sql_types::{Nullable, Text};
    use crate::types::{Id, Moment};

    companies (id) {
        id -> Id,
        name -> Text,
        website -> Text,
        logo_path -> Nullable<Text>,
        former_names -> Nullable<Text>,
        created_at -> Moment,
        updated_at -> Moment,
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
}

impl TryFrom<CompanyRow> for Company {
    type Error = StoreError;

    fn try_from(row: CompanyRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: CompanyId::new(row.id.uuid("companies.id")?),
            name: row.name,
            website: Website::from_store(row.website),
            logo_path: row.logo_path,
        })
    }
}

/// The former names of a company, from their column.
pub fn former_names(stored: &str) -> Result<Vec<String>, StoreError> {
    array(stored, "companies.former_names")
}
