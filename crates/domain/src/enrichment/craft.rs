//! The port to what is done by rules alone, offline and in no time: cleaning, hiding, finding
//! places. It is always at hand, whoever else takes part.

use super::{Budget, Enrichment, EnrichmentInput, Exceeded};

/// The port that the built-in enricher implements.
///
/// Every function spends from the budget whatever it does with its input, and ends with the error
/// that the budget gives it. It begins each of its texts there, and pays for the text before it
/// makes it.
pub trait Craft: Send + Sync {
    /// Everything that rules alone make of a posting. A rejection is certain; an approval says
    /// that no rule has anything against the posting.
    fn prepare(&self, input: &EnrichmentInput, budget: &Budget) -> Result<Enrichment, Exceeded>;

    /// Clean `CommonMark` of a text of any form, without raw HTML and without links that a
    /// reader should not follow. What is clean already stays as it is.
    fn clean(&self, text: &str, budget: &Budget) -> Result<String, Exceeded>;

    /// Clean `CommonMark` with everything hidden that identifies the company of the posting or
    /// leads past the board. What is hidden already stays as it is.
    fn redact(
        &self,
        markdown: &str,
        input: &EnrichmentInput,
        budget: &Budget,
    ) -> Result<String, Exceeded>;
}
