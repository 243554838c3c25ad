use diesel::sql_types::{Bool, Nullable, Text};
use domain::company::{Company, CompanyView, Kept};
use kernel::StoreError;

use crate::{
    read,
    stored::{decode, decoded},
    types::{Id, Moment},
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

decode! { row: CompanyRow of companies => Company {
    id, name, website, logo_path, owner, alias_of;
    kept: Kept { name: row.keeps_name, logo: row.keeps_logo },
} }

impl TryFrom<CompanyRow> for CompanyView {
    type Error = StoreError;

    fn try_from(row: CompanyRow) -> Result<Self, StoreError> {
        let company = row.clone().try_into()?;
        Ok(decoded!(row of companies => Self {
            created_at, updated_at, updated_by, merged_at;
            company,
        }))
    }
}
