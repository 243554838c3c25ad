//! A company as answers show it.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::schema::Answer;

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
}

impl<'a> From<&'a domain::company::Company> for Company<'a> {
    fn from(company: &'a domain::company::Company) -> Self {
        Self {
            uuid: company.id.uuid(),
            name: &company.name,
            website_url: company.website.as_str(),
            logo_path: company.logo_path.as_deref(),
        }
    }
}

impl Answer for Company<'_> {
    fn example() -> Self {
        Self {
            uuid: Uuid::from_u128(0x3f1c_6a52_0000_5000_8000_0000_0000_0001),
            name: "Example GmbH",
            website_url: "https://example.com",
            logo_path: None,
        }
    }
}
