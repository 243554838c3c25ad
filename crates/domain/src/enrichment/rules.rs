//! The port to enrichment by rules, without I/O: cleaning, redaction, places, and the check that
//! every text must pass.

use super::{Draft, EnrichError, Enrichment, EnrichmentInput, StopFlag};

/// The reason why work by rules was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    /// It exceeds its budget, and would each time.
    #[error("the description takes too much to be read")]
    TooComplex,
    /// The flag was set.
    #[error("the work was stopped")]
    Stopped,
}

/// The reason why an enrichment may not be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// It breaks this rule. The sentence quotes nothing of the texts.
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

/// The port to the rules, which a [`Pipeline`](super::Pipeline) requires.
///
/// Descriptions are untrusted: work on one has a budget, and ends with [`Exceeded`] when that is
/// spent or soon after the flag is set.
pub trait RuleEnricher: Send + Sync {
    /// Enriches a posting by rules alone. A rejection is certain; an approval means that no rule
    /// objects.
    fn prepare(&self, input: &EnrichmentInput, stop: &StopFlag) -> Result<Enrichment, Exceeded>;

    /// The same with a model's draft: with its verdict, with more hidden, and with texts that are
    /// those of [`prepare`](Self::prepare) in all else. Or the draft's faults, in sentences for the
    /// model.
    ///
    /// The text of a rejection becomes one short line without anything that a redacted text hides.
    fn complete(
        &self,
        draft: &Draft,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Result<Enrichment, Vec<String>>, Exceeded>;

    /// Checks a finished enrichment, whatever its source:
    ///
    /// - Both texts are `CommonMark` without raw HTML, images, control characters and unsafe
    ///   links, and in proportion to the description.
    /// - The redacted text has no link, and neither it nor the redacted title shows the company's
    ///   names and host, addresses or telephone numbers.
    /// - An approved posting has both texts; a rejection has a reason of one line.
    /// - Coordinates are on Earth.
    fn check(
        &self,
        enrichment: &Enrichment,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<(), CheckError>;
}
