//! The table `companies`.

use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, SelectableHelper, dsl::AsSelect, pg::Pg};
use diesel_async::RunQueryDsl;
use domain::{
    company::{Company, CompanyReader, CompanyView, CompanyWrite},
    store::Snapshot,
};
use kernel::{ClientId, CompanyId, StoreError};
use sql_common::{
    company::{CompanyRow, CompanyViewRow, companies},
    statement,
    types::StoredId,
};

use crate::{
    PostgresStore,
    statement::{TypesOf, Value, bools, optional_uuids, rendered, text_of, texts, times, uuids},
};

static BY_ID: LazyLock<String> = LazyLock::new(|| {
    let ids: [StoredId; 0] = [];
    text_of(&all().filter(companies::id.eq_any(ids)))
});

statement! {
    /// Companies by id.
    pub(crate) ById = &BY_ID, returns TypesOf<CompanyRow>
}

/// Selects companies.
#[diesel::dsl::auto_type]
fn all() -> _ {
    let columns: AsSelect<CompanyRow, Pg> = CompanyRow::as_select();
    companies::table.select(columns)
}

/// Adds companies to those already loaded.
pub(crate) fn add(known: &mut Snapshot, companies: Vec<CompanyRow>) -> Result<(), StoreError> {
    for row in companies {
        let company = Company::try_from(row)?;
        known.companies.insert(company.id, company);
    }
    Ok(())
}

/// Returns the column arrays of the companies that a commit writes.
pub(crate) fn columns<'a>(rows: &'a [&CompanyWrite]) -> [Value<'a>; 12] {
    [
        uuids(rows, |write| write.company.id.uuid()),
        texts(rows, |write| Some(&write.company.name)),
        texts(rows, |write| Some(write.company.website.as_str())),
        texts(rows, |write| write.company.logo_path.as_deref()),
        optional_uuids(rows, |write| write.company.owner.map(ClientId::uuid)),
        times(rows, |write| write.at),
        rendered(rows.iter().map(|write| Some(&write.by))),
        bools(rows, |write| write.sets_name),
        bools(rows, |write| write.sets_logo_path),
        bools(rows, |write| write.sets_owner),
        optional_uuids(rows, |write| write.required_owner.map(ClientId::uuid)),
        rendered(rows.iter().map(|write| {
            let names = &write.replaced_names;
            (!names.is_empty()).then_some(names)
        })),
    ]
}

#[async_trait]
impl CompanyReader for PostgresStore {
    async fn companies(&self, after: &str, limit: usize) -> Result<Vec<CompanyView>, StoreError> {
        let (after, limit) = (after.to_owned(), i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = self
            .connections
            .run(async move |conn| {
                let page = companies::table
                    .filter(companies::website.gt(after))
                    .order(companies::website)
                    .limit(limit)
                    .select(CompanyViewRow::as_select());
                Ok(RunQueryDsl::load::<CompanyViewRow>(page, conn).await?)
            })
            .await?;
        rows.into_iter().map(CompanyView::try_from).collect()
    }

    async fn company(&self, id: CompanyId) -> Result<Option<CompanyView>, StoreError> {
        let id = StoredId::from(id.uuid());
        let rows = self
            .connections
            .run(async move |conn| {
                let found = companies::table
                    .filter(companies::id.eq(id))
                    .select(CompanyViewRow::as_select());
                Ok(RunQueryDsl::load::<CompanyViewRow>(found, conn).await?)
            })
            .await?;
        rows.into_iter()
            .next()
            .map(CompanyView::try_from)
            .transpose()
    }
}
