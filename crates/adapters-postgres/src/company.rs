//! The table `companies`.

use diesel::{ExpressionMethods, QueryDsl, SelectableHelper, dsl::AsSelect, pg::Pg};
use domain::{
    company::{Company, CompanyWrite},
    store::{Known, StoreError},
};
use sql_common::{
    company::{CompanyRow, companies},
    types::{Rendered, StoredId},
};

use crate::statement::{Value, bools, texts, times, uuids};

/// Selects the companies with these ids.
#[diesel::dsl::auto_type]
pub(crate) fn by_id(ids: Vec<StoredId>) -> _ {
    let columns: AsSelect<CompanyRow, Pg> = CompanyRow::as_select();
    companies::table
        .filter(companies::id.eq_any(ids))
        .select(columns)
}

/// Adds companies to those already loaded.
pub(crate) fn add(known: &mut Known, companies: Vec<CompanyRow>) -> Result<(), StoreError> {
    for row in companies {
        let company = Company::try_from(row)?;
        known.companies.insert(company.id, company);
    }
    Ok(())
}

/// Returns the column arrays of the companies that a commit writes.
pub(crate) fn columns<'a>(rows: &'a [&CompanyWrite]) -> [Value<'a>; 8] {
    [
        uuids(rows, |write| write.company.id.uuid()),
        texts(rows, |write| Some(&write.company.name)),
        texts(rows, |write| Some(write.company.website.as_str())),
        texts(rows, |write| write.company.logo_path.as_deref()),
        times(rows, |write| write.at),
        bools(rows, |write| write.sets_name),
        bools(rows, |write| write.sets_logo_path),
        replaced(rows),
    ]
}

/// Returns the column arrays of the companies that a commit was decided on.
pub(crate) fn assumed<'a>(rows: &'a [&Company]) -> [Value<'a>; 3] {
    [
        uuids(rows, |company| company.id.uuid()),
        texts(rows, |company| Some(&company.name)),
        texts(rows, |company| company.logo_path.as_deref()),
    ]
}

/// The names that a commit replaces by its own; none of most companies.
fn replaced<'a>(rows: &'a [&CompanyWrite]) -> Value<'a> {
    let of = |write: &&'a CompanyWrite| {
        let names = &write.replaced_names;
        (!names.is_empty()).then_some(Rendered(names))
    };
    Value::Rendered(rows.iter().map(of).collect())
}
