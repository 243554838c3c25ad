use diesel::sql_types::{Bool, Nullable, Text};
use domain::company::{Company, CompanyView, Kept};
use fields::Website;
use kernel::{ClientId, CompanyId, StoreError};

use crate::{
    read,
    stored::{array, parse_optional},
    types::{Id, Moment, optional_time},
};

read! {
    CompanyRow = companies {
        id: Id,
        name: Text,
        website: Text,
        logo_path: Nullable<Text>,
        owner: Nullable<Id>,
        keeps_name: Bool,
        keeps_logo: Bool,
        alias_of: Nullable<Id>,
        created_at: Moment,
        updated_at: Moment,
        updated_by: Nullable<Text>,
        merged_at: Nullable<Moment>,
    }
}

impl TryFrom<CompanyRow> for CompanyView {
    type Error = StoreError;

    fn try_from(row: CompanyRow) -> Result<Self, StoreError> {
        Ok(Self {
            created_at: row.created_at.time("companies.created_at")?,
            updated_at: row.updated_at.time("companies.updated_at")?,
            updated_by: parse_optional(row.updated_by.as_deref(), "companies.updated_by")?,
            merged_at: optional_time(row.merged_at, "companies.merged_at")?,
            company: row.try_into()?,
        })
    }
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

pub fn former_names(stored: &str) -> Result<Vec<String>, StoreError> {
    array(stored, "companies.former_names")
}
