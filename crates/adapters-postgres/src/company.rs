//! The table `companies`.

use diesel::{
    ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper, dsl::AsSelect, pg::Pg,
};
use domain::{
    company::{Company, CompanyId, CompanyWrite, Website},
    store::Known,
};
use uuid::Uuid;

use crate::{
    schema::companies,
    statement::{Value, bools, texts, times, uuids},
    value::timestamp,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = companies, check_for_backend(Pg))]
pub(crate) struct CompanyRow {
    id: Uuid,
    name: String,
    website: String,
    logo_path: Option<String>,
}

impl From<CompanyRow> for Company {
    fn from(row: CompanyRow) -> Self {
        Self {
            id: CompanyId::new(row.id),
            name: row.name,
            website: Website::from_store(row.website),
            logo_path: row.logo_path,
        }
    }
}

/// The companies with these ids, as far as they exist.
#[diesel::dsl::auto_type]
pub(crate) fn by_id(ids: Vec<Uuid>) -> _ {
    let columns: AsSelect<CompanyRow, Pg> = CompanyRow::as_select();
    companies::table
        .filter(companies::id.eq_any(ids))
        .select(columns)
}

/// Adds companies to what is known.
pub(crate) fn add(known: &mut Known, companies: Vec<CompanyRow>) {
    let companies = companies.into_iter().map(Company::from);
    known
        .companies
        .extend(companies.map(|company| (company.id, company)));
}

/// The columns of the companies that a commit writes.
pub(crate) fn columns<'a>(rows: &'a [&CompanyWrite]) -> [Value<'a>; 7] {
    [
        uuids(rows, |write| write.company.id.uuid()),
        texts(rows, |write| Some(&write.company.name)),
        texts(rows, |write| Some(write.company.website.as_str())),
        texts(rows, |write| write.company.logo_path.as_deref()),
        times(rows, |write| Some(timestamp(write.at))),
        bools(rows, |write| write.sets_name),
        bools(rows, |write| write.sets_logo_path),
    ]
}
