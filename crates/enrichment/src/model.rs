//! The port to a language model that judges a posting and says what to hide of it.
//!
//! A model is not trusted: texts are made by rules, which also check what it would hide.

use async_trait::async_trait;
use fields::codes::CountryCode;

use super::{Draft, EnrichError, EnrichmentInput};

/// The input of a model, which sees nothing else of a posting.
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
}

impl<'a> Brief<'a> {
    /// The input for a posting whose description reads like this.
    pub fn of(input: &'a EnrichmentInput, markdown: &'a str) -> Self {
        Self {
            title: &input.title,
            markdown,
            country: input.country,
            city: input.city.as_deref(),
            company_name: &input.company_name,
        }
    }
}

/// The validation feedback on an answer that was of no use. A model is asked again with it, once.
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
    /// The model answered, but no draft. Asking again may help.
    Unusable(Feedback),
    /// The model did not answer, or will not.
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
    /// The model's name with the version of its instructions, which decisions are by. Kept drafts
    /// of another one are not of use any more.
    fn version(&self) -> &str;

    /// Asks for a draft. `feedback` is about the last answer for the same posting.
    async fn draft(
        &self,
        brief: &Brief<'_>,
        feedback: Option<&Feedback>,
    ) -> Result<Draft, DraftError>;
}
