//! The table `companies`.

use diesel::{
    Queryable,
    sql_types::{Nullable, Text},
};
use domain::company::{Company, CompanyView, CompanyWrite};
use kernel::{ClientId, CompanyId, StoreError, Website};

use crate::{
    binds,
    executor::{Executor, Outcome, values},
    statement,
    stored::{array, most, parse_optional},
    types::{Id, Moment, StoredId, StoredTime, ToText},
    written,
};

written! {
    /// What a commit sends of a company: the columns of an insert, and what an update sets.
    CompanySent = companies of CompanyWrite {
        id = Id(|write| Some(write.company.id.uuid())),
        name = Text(|write| Some(&write.company.name)),
        website = Text(|write| Some(write.company.website.as_str())),
        logo_path = Text(|write| write.company.logo_path.as_deref()),
        owner = Id(|write| write.company.owner.map(ClientId::uuid)),
        at = Time(|write| Some(write.at)),
        by = Rendered(|write| Some(&write.by)),
        sets_name = Bool(|write| write.sets_name),
        sets_logo_path = Bool(|write| write.sets_logo_path),
        sets_owner = Bool(|write| write.sets_owner),
        required_owner = Id(|write| write.required_owner.map(ClientId::uuid)),
        replaced = Rendered(|write| {
            let names = &write.replaced_names;
            (!names.is_empty()).then_some(names as &dyn ToText)
        }),
    }
}

/// The columns of a [`CompanyRow`].
#[macro_export]
macro_rules! company_columns {
    () => {
        "companies.id, companies.name, companies.website, companies.logo_path, companies.owner"
    };
}

/// The columns of a [`CompanyViewRow`].
#[macro_export]
macro_rules! company_view_columns {
    () => {
        concat!(
            $crate::company_columns!(),
            ", companies.created_at, companies.updated_at, companies.updated_by"
        )
    };
}

/// The SQL types of a [`CompanyRow`].
pub type CompanyColumns = (Id, Text, Text, Nullable<Text>, Nullable<Id>);

/// The SQL types of a [`CompanyViewRow`].
pub type CompanyViewColumns = (
    Id,
    Text,
    Text,
    Nullable<Text>,
    Nullable<Id>,
    Moment,
    Moment,
    Nullable<Text>,
);

/// A company, without its former names.
#[derive(Debug, Queryable)]
pub struct CompanyRow {
    id: StoredId,
    name: String,
    website: String,
    logo_path: Option<String>,
    owner: Option<StoredId>,
}

/// A company with its last change.
#[derive(Debug, Queryable)]
pub struct CompanyViewRow {
    id: StoredId,
    name: String,
    website: String,
    logo_path: Option<String>,
    owner: Option<StoredId>,
    created_at: StoredTime,
    updated_at: StoredTime,
    updated_by: Option<String>,
}

impl TryFrom<CompanyViewRow> for CompanyView {
    type Error = StoreError;

    fn try_from(row: CompanyViewRow) -> Result<Self, StoreError> {
        let company = CompanyRow {
            id: row.id,
            name: row.name,
            website: row.website,
            logo_path: row.logo_path,
            owner: row.owner,
        };
        Ok(Self {
            company: company.try_into()?,
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

statement! {
    List = concat!(
        "SELECT ", company_view_columns!(),
        " FROM companies WHERE website > :after ORDER BY website LIMIT :limit"
    ),
    returns CompanyViewColumns
}

/// Companies in the order of their websites, behind one of these.
pub async fn companies(
    conn: &mut impl Executor,
    after: &str,
    limit: usize,
) -> Outcome<Vec<CompanyView>> {
    let page = binds! { after, limit: most(limit) };
    values::<CompanyViewRow, _>(conn.load::<List, _>(page).await?)
}

statement! {
    Find = concat!("SELECT ", company_view_columns!(), " FROM companies WHERE id = :id"),
    returns CompanyViewColumns
}

/// A company.
pub async fn company(conn: &mut impl Executor, id: CompanyId) -> Outcome<Option<CompanyView>> {
    let found = conn.load::<Find, _>(binds! { id: id.uuid() }).await?;
    Ok(values::<CompanyViewRow, _>(found)?.pop())
}

statement! {
    pub(crate) ById = {
        postgres: concat!("SELECT ", company_columns!(), " FROM companies WHERE id = ANY(:company)"),
        sqlite: concat!("SELECT ", company_columns!(), " FROM companies WHERE id = :company"),
    },
    returns CompanyColumns
}
