mod lists;
mod merge;
mod pairs;
mod row;

use std::collections::HashMap;

use domain::company::CompanyView;
use kernel::CompanyId;

pub use self::{
    lists::{aliases, alike, companies, companies_named, count_postings, misplaced},
    merge::{Merged, merge},
    pairs::{company_pairs, write_pairs},
    row::{CompanyRow, CompanyViewColumns, CompanyViewRow, company_view, former_names},
};
use crate::{
    binds, each,
    executor::{Executor, Outcome},
    statement,
};

statement! {
    Find = r"
        SELECT {companies read}, created_at, updated_at, updated_by, merged_at FROM companies
        WHERE id = :id",
    over [CompanyRow],
    returns CompanyViewColumns
}

pub async fn company(conn: &mut impl Executor, id: CompanyId) -> Outcome<Option<CompanyView>> {
    let found = conn.load::<Find, _>(binds! { id: id.uuid() }).await?;
    Ok(found.into_iter().next().map(company_view).transpose()?)
}

statement! {
    FindEach = r"
        SELECT {companies read}, created_at, updated_at, updated_by, merged_at FROM companies
        WHERE id = {each company}",
    over [CompanyRow],
    returns CompanyViewColumns
}

pub(crate) async fn views(
    conn: &mut impl Executor,
    ids: impl IntoIterator<Item = CompanyId>,
) -> Outcome<HashMap<CompanyId, CompanyView>> {
    let ids = each! { ids, id => company: id.uuid() };
    let found = conn.load_each::<FindEach, _>(&ids, &[]).await?.into_iter();
    let found = found.map(company_view).collect::<Result<Vec<_>, _>>()?;
    Ok(found
        .into_iter()
        .map(|view| (view.company.id, view))
        .collect())
}

statement! {
    pub(crate) ById = "SELECT {companies read} FROM companies WHERE id = {each company}",
    loads CompanyRow
}
