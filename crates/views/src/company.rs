//! A company.

use domain::company::CompanyView;
use kernel::{Actor, ClientId, event::CompanyState};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::json::Timestamp;

/// The company, as last pushed with any posting.
#[derive(Serialize, ToSchema)]
pub struct Company<'a> {
    /// The company's id: the UUIDv5 of its normalised website.
    uuid: Uuid,
    /// The company's name.
    name: &'a str,
    /// The company's normalised website.
    website_url: &'a str,
    /// Path to the company's logo.
    logo_path: Option<&'a str>,
    /// When the company's name, logo or owner last changed.
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
    /// A company as the event of this time left it.
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
