//! The port to a language model that judges a posting and returns the phrases to hide in it.
//!
//! A model is not trusted: rules write the texts, and check the phrases.

use async_trait::async_trait;
use fields::codes::CountryCode;

use super::{Draft, EnrichError, EnrichmentInput};

/// The complete input of a model about a posting.
#[derive(Clone, Copy, Debug)]
pub struct Brief<'a> {
    /// The posting's title.
    pub title: &'a str,
    /// The description as clean `CommonMark`.
    pub markdown: &'a str,
    /// Country of the workplace.
    pub country: Option<CountryCode>,
    /// City of the workplace.
    pub city: Option<&'a str>,
    /// The company's name.
    pub company_name: &'a str,
    /// The domains that applications go to, if they changed since the last verdict.
    pub new_domains: &'a [String],
}

impl<'a> Brief<'a> {
    /// The input for a posting whose converted description is `markdown`.
    pub fn of(input: &'a EnrichmentInput, markdown: &'a str) -> Self {
        Self {
            title: &input.title,
            markdown,
            country: input.country,
            city: input.city.as_deref(),
            company_name: &input.company_name,
            new_domains: &input.new_domains,
        }
    }
}

/// The feedback on an unusable answer. It is sent back to the model once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The model's answer.
    pub answer: String,
    /// The faults of that answer, in sentences for the model.
    pub faults: Vec<String>,
}

/// The reason why there is no draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftError {
    /// The model answered without a usable draft. Asking again may help.
    Unusable(Feedback),
    /// The model did not answer.
    Failed(EnrichError),
}

impl From<EnrichError> for DraftError {
    fn from(error: EnrichError) -> Self {
        Self::Failed(error)
    }
}

/// The port that models implement.
#[async_trait]
pub trait Model: Send + Sync {
    /// The model's name and the version of its instructions, which are stored with decisions.
    /// Stored drafts of another version are not used.
    fn version(&self) -> &str;

    /// Asks for a draft. `feedback` is about the last answer for the same posting.
    async fn draft(
        &self,
        brief: &Brief<'_>,
        feedback: Option<&Feedback>,
    ) -> Result<Draft, DraftError>;
}
