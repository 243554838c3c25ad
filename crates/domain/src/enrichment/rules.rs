//! The port to what is done by rules alone, offline and in no time: cleaning, hiding, finding
//! places, and holding texts against what every text must satisfy.

use super::{Brief, Draft, EnrichError, EnrichedTexts, Enrichment, EnrichmentInput, StopFlag};

/// Why work by rules ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    /// It takes too much, and would each time.
    #[error("the description takes too much to be read")]
    TooComplex,
    /// The flag was set.
    #[error("the work was stopped")]
    Stopped,
}

/// Why an enrichment is shown to nobody.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// It breaks this rule. The sentence repeats nothing of the texts.
    #[error("the enrichment breaks a rule: {0}")]
    Breach(String),
    /// There is no answer.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
}

impl From<Exceeded> for EnrichError {
    fn from(exceeded: Exceeded) -> Self {
        Self::Retry {
            message: exceeded.to_string(),
            after: None,
        }
    }
}

/// The port that rules implement. [`Pipeline`](super::Pipeline) cannot be made without it.
///
/// A description comes from strangers: what a function does with it has a budget, and ends with
/// [`Exceeded`] when that is spent or soon after the flag is set.
pub trait RuleEnricher: Send + Sync {
    /// Everything that rules alone make of a posting. A rejection is certain; an approval says
    /// that no rule has anything against the posting.
    fn prepare(&self, input: &EnrichmentInput, stop: &StopFlag) -> Result<Enrichment, Exceeded>;

    /// The texts of a draft as they may be shown: clean `CommonMark`, and the redacted one with
    /// everything hidden that identifies the company or leads past the board. What is clean and
    /// hidden already stays as it is.
    fn texts(
        &self,
        draft: &Draft,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<EnrichedTexts, Exceeded>;

    /// What is wrong with a draft, in sentences for the model that wrote it; none if it is of use.
    fn faults(
        &self,
        draft: &Draft,
        brief: &Brief<'_>,
        stop: &StopFlag,
    ) -> Result<Vec<String>, Exceeded>;

    /// A draft's text about a rejection, as one short line without addresses.
    fn detail(&self, text: &str) -> String;

    /// Holds a finished enrichment against the rules that every one must satisfy, whoever wrote
    /// it:
    ///
    /// - Both texts are `CommonMark` without raw HTML, images, control characters and unsafe
    ///   links, and in proportion to the description.
    /// - The redacted text has no link, and shows neither the company's name and host nor
    ///   addresses and telephone numbers.
    /// - An approved posting has both texts; a rejection has a reason of one line.
    /// - Coordinates are on Earth.
    fn check(
        &self,
        enrichment: &Enrichment,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<(), CheckError>;
}
