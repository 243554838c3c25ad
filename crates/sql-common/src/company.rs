//! The table `companies`.

use diesel::sql_types::{Bool, Nullable, Text};
use domain::company::{Company, CompanyView, CompanyWrite, Kept};
use fields::Website;
use kernel::{ClientId, CompanyId, StoreError};

use crate::{
    binds,
    entity::Entity,
    executor::{Executor, Outcome},
    read, statement,
    stored::{array, most, parse_optional},
    types::{Id, Moment, StoredTime, ToText},
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
        keeps_name = Bool(|write| write.company.kept.name),
        keeps_logo = Bool(|write| write.company.kept.logo),
        at = Time(|write| Some(write.at)),
        by = Rendered(|write| Some(&write.by)),
        sets_name = Bool(|write| write.sets_name),
        sets_logo_path = Bool(|write| write.sets_logo_path),
        sets_owner = Bool(|write| write.sets_owner),
        required_owner = Id(|write| write.required_owner.map(ClientId::uuid)),
        yields = Bool(CompanyWrite::yields),
        replaced = Rendered(|write| {
            let names = &write.replaced_names;
            (!names.is_empty()).then_some(names as &dyn ToText)
        }),
    }
}

read! {
    /// A company, without its former names.
    CompanyRow = companies {
        id: Id,
        name: Text,
        website: Text,
        logo_path: Nullable<Text>,
        owner: Nullable<Id>,
        keeps_name: Bool,
        keeps_logo: Bool,
    }
}

/// The SQL types of a [`CompanyViewRow`].
pub type CompanyViewColumns = (<CompanyRow as Entity>::Row, Moment, Moment, Nullable<Text>);

/// A company, when it was created, and its last change.
pub type CompanyViewRow = (CompanyRow, StoredTime, StoredTime, Option<String>);

/// A company with its last change.
pub fn company_view(
    (company, created_at, updated_at, updated_by): CompanyViewRow,
) -> Result<CompanyView, StoreError> {
    Ok(CompanyView {
        company: company.try_into()?,
        created_at: created_at.time("companies.created_at")?,
        updated_at: updated_at.time("companies.updated_at")?,
        updated_by: parse_optional(updated_by, "companies.updated_by")?,
    })
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
            kept: Kept {
                name: row.keeps_name,
                logo: row.keeps_logo,
            },
        })
    }
}

/// The former names of a company, from their column.
pub fn former_names(stored: &str) -> Result<Vec<String>, StoreError> {
    array(stored, "companies.former_names")
}

statement! {
    List = r"
        SELECT {companies read}, created_at, updated_at, updated_by FROM companies
        WHERE website > :after ORDER BY website LIMIT :limit",
    over [CompanyRow],
    returns CompanyViewColumns
}

/// Companies in the order of their websites, behind one of these.
pub async fn companies(
    conn: &mut impl Executor,
    after: &str,
    limit: usize,
) -> Outcome<Vec<CompanyView>> {
    let page = binds! { after, limit: most(limit) };
    let found = conn.load::<List, _>(page).await?.into_iter();
    Ok(found.map(company_view).collect::<Result<_, _>>()?)
}

statement! {
    Find = r"
        SELECT {companies read}, created_at, updated_at, updated_by FROM companies WHERE id = :id",
    over [CompanyRow],
    returns CompanyViewColumns
}

pub async fn company(conn: &mut impl Executor, id: CompanyId) -> Outcome<Option<CompanyView>> {
    let found = conn.load::<Find, _>(binds! { id: id.uuid() }).await?;
    Ok(found.into_iter().next().map(company_view).transpose()?)
}

statement! {
    pub(crate) ById = "SELECT {companies read} FROM companies WHERE id = {each company}",
    loads CompanyRow
}
