//! The content of a posting, as an enricher sees it.

use std::sync::Arc;

use domain::{posting::Details, usecase::Submission};
use fields::codes::CountryCode;
use kernel::PostingId;
use time::OffsetDateTime;

/// The content of one posting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnrichmentInput {
    /// The posting's id, if it is stored.
    pub posting: Option<PostingId>,
    /// The posting's title.
    pub title: String,
    /// The description as pushed: HTML, Markdown or plain text.
    pub raw_description: Arc<str>,
    /// The country of the workplace.
    pub country: Option<CountryCode>,
    /// City of the workplace.
    pub city: Option<String>,
    /// The company's name. The redacted text must not show it.
    pub company_name: String,
    /// Earlier names of the company. The redacted text must not show them, either.
    pub other_names: Vec<String>,
    /// The normalised website. The redacted text must not show it.
    pub company_website: String,
    /// The page to which relative links of the description refer.
    pub application_url: Option<String>,
    /// The other pushed fields.
    pub details: Details,
    /// The domains that applications go to, if they changed since the last verdict.
    pub new_domains: Vec<String>,
    /// Whether each of the posting's last ten changes altered only numbers, dates and tracking
    /// parameters of the description.
    pub churns: bool,
    /// The time of the last push.
    pub pushed_at: OffsetDateTime,
}

impl From<&Submission> for EnrichmentInput {
    fn from(submission: &Submission) -> Self {
        let Submission {
            posting, company, ..
        } = submission;
        Self {
            posting: Some(posting.id),
            title: posting.details.title.clone(),
            raw_description: Arc::clone(&submission.raw_description),
            country: posting.details.location_country_code,
            city: posting.details.location_city.clone(),
            company_name: company.name.clone(),
            other_names: submission.former_names.clone(),
            company_website: company.website.as_str().to_owned(),
            application_url: posting.details.application_url.clone(),
            details: posting.details.clone(),
            new_domains: posting.unjudged_domains(),
            churns: submission.churns,
            pushed_at: posting.updated_at,
        }
    }
}
