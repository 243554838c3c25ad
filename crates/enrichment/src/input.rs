//! The content of a posting, as an enricher sees it.

use std::sync::Arc;

use domain::usecase::Assignment;
use fields::codes::CountryCode;
use kernel::PostingId;

/// The content of one posting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnrichmentInput {
    /// The posting, if it is stored.
    pub posting: Option<PostingId>,
    /// The posting's title.
    pub title: String,
    /// The description as it was pushed: HTML, by the specification.
    pub raw_description: Arc<str>,
    /// ISO 3166-1 alpha-2 country of the workplace.
    pub country: Option<CountryCode>,
    /// City of the workplace.
    pub city: Option<String>,
    /// The company's name, which the redacted text must not show.
    pub company_name: String,
    /// The names that the company had, which the redacted text must not show either.
    pub other_names: Vec<String>,
    /// The company's normalised website, which the redacted text must not show.
    pub company_website: String,
    /// The page on which people apply, which relative links of the description are on.
    pub application_url: Option<String>,
}

impl From<&Assignment> for EnrichmentInput {
    fn from(assignment: &Assignment) -> Self {
        let Assignment {
            posting, company, ..
        } = assignment;
        Self {
            posting: Some(posting.id),
            title: posting.details.title.clone(),
            raw_description: Arc::clone(&assignment.raw_description),
            country: posting.details.location_country_code,
            city: posting.details.location_city.clone(),
            company_name: company.name.clone(),
            other_names: assignment.former_names.clone(),
            company_website: company.website.as_str().to_owned(),
            application_url: posting.details.application_url.clone(),
        }
    }
}
