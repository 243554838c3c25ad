//! What an enrichment must satisfy, whatever produced it.

use super::{Draft, EnrichError, Enrichment, EnrichmentInput, ReasonCode};

/// What is wrong with a draft of a description, in sentences for its author; nothing if it is of
/// use. `markdown` is the description as the author was given it.
pub fn faults(_draft: &Draft, _markdown: &str) -> Vec<String> {
    Vec::new()
}

/// The text of a rejection: what the code means, and what the author says about it.
pub fn explanation(code: ReasonCode, text: &str) -> String {
    format!("{} {text}", code.sentence())
}

/// Holds a finished enrichment against the rules. What fails here is shown to nobody.
pub fn check(_enrichment: &Enrichment, _input: &EnrichmentInput) -> Result<(), EnrichError> {
    Ok(())
}
