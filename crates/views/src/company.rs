use std::collections::BTreeMap;

use domain::company::{CompanyPairView, CompanyView};
use kernel::{Actor, ClientId, Status, event::CompanyState};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::json::Timestamp;

/// The company, with its present name and logo.
#[derive(Serialize, ToSchema)]
pub struct Company<'a> {
    /// The company's id: the UUIDv5 of the key of its website.
    uuid: Uuid,
    /// The company's name.
    name: &'a str,
    /// The company's website, as its creator sent it.
    website_url: &'a str,
    /// Path to the company's logo.
    logo_path: Option<&'a str>,
    /// When the company last changed.
    #[schema(value_type = OffsetDateTime)]
    updated_at: Timestamp,
    /// The actor of that change: `client:ID` or `operator:NAME`; `null` if that was not recorded.
    updated_by: Option<String>,
}

impl<'a> From<&'a CompanyView> for Company<'a> {
    fn from(view: &'a CompanyView) -> Self {
        let company = &view.company;
        Self {
            uuid: company.id.uuid(),
            name: &company.name,
            website_url: company.website.as_str(),
            logo_path: company.logo_path.as_deref(),
            updated_at: Timestamp(view.updated_at),
            updated_by: view.updated_by.as_ref().map(Actor::to_string),
        }
    }
}

impl<'a> Company<'a> {
    /// A company as its event left it at this time.
    pub fn of_event(company: &'a CompanyState, at: OffsetDateTime) -> Self {
        Self {
            uuid: company.id.uuid(),
            name: &company.name,
            website_url: company.website.as_str(),
            logo_path: company.logo_path.as_deref(),
            updated_at: Timestamp(at),
            updated_by: company.updated_by.as_ref().map(Actor::to_string),
        }
    }
}

/// A company as operators see it.
#[derive(Serialize)]
pub struct CompanyOfOperator<'a> {
    #[serde(flatten)]
    company: Company<'a>,
    owner: Option<Uuid>,
    /// The fields that an operator has set.
    kept: Vec<&'static str>,
    created_at: Timestamp,
}

impl<'a> From<&'a CompanyView> for CompanyOfOperator<'a> {
    fn from(view: &'a CompanyView) -> Self {
        Self {
            company: Company::from(view),
            owner: view.company.owner.map(ClientId::uuid),
            kept: view.company.kept.names().collect(),
            created_at: Timestamp(view.created_at),
        }
    }
}

/// A company that another company replaces.
#[derive(Serialize)]
pub struct Alias<'a> {
    uuid: Uuid,
    name: &'a str,
    website_url: &'a str,
}

/// A company with its aliases and the numbers of its postings by status, as operators see it.
#[derive(Serialize)]
pub struct CompanyInFull<'a> {
    #[serde(flatten)]
    company: CompanyOfOperator<'a>,
    aliases: Vec<Alias<'a>>,
    postings: BTreeMap<&'static str, usize>,
}

impl<'a> CompanyInFull<'a> {
    pub fn new(
        view: &'a CompanyView,
        aliases: &'a [CompanyView],
        postings: &BTreeMap<Status, usize>,
    ) -> Self {
        let alias = |view: &'a CompanyView| Alias {
            uuid: view.company.id.uuid(),
            name: &view.company.name,
            website_url: view.company.website.as_str(),
        };
        let counts = postings
            .iter()
            .map(|(status, count)| (status.as_str(), *count));
        Self {
            company: view.into(),
            aliases: aliases.iter().map(alias).collect(),
            postings: counts.collect(),
        }
    }
}

/// Two companies that may be the same, as operators see them.
#[derive(Serialize)]
pub struct CompanyPairOfOperator<'a> {
    company: CompanyOfOperator<'a>,
    similar_to: CompanyOfOperator<'a>,
    since: Timestamp,
}

impl<'a> From<&'a CompanyPairView> for CompanyPairOfOperator<'a> {
    fn from(view: &'a CompanyPairView) -> Self {
        let [one, other] = &view.companies;
        Self {
            company: one.into(),
            similar_to: other.into(),
            since: Timestamp(view.pair.since),
        }
    }
}
