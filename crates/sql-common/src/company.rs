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
    row::CompanyRow,
};
use crate::{
    each,
    executor::{Executor, Outcome, values},
    statement,
};

statement! {
    pub(crate) ById = "SELECT {companies read} FROM companies WHERE id = {each company}",
    returns CompanyRow
}

pub(crate) async fn views(
    conn: &mut impl Executor,
    ids: impl IntoIterator<Item = CompanyId>,
) -> Outcome<HashMap<CompanyId, CompanyView>> {
    let ids = each! { ids, id => company: id.uuid() };
    let found: Vec<CompanyView> = values(conn.load_each::<ById>(&ids, &[]).await?)?;
    let found = found.into_iter().map(|view| (view.company.id, view));
    Ok(found.collect())
}

pub async fn company(conn: &mut impl Executor, id: CompanyId) -> Outcome<Option<CompanyView>> {
    Ok(views(conn, [id]).await?.remove(&id))
}
