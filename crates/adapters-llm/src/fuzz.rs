//! Private functions for the fuzz target. Built for it alone.

use domain::enrichment::{Draft, DraftError};

use crate::{answer, completion::Completion, draft};

/// The draft in an answer of the chat completions API; `None` if it is not one.
pub fn read(body: &[u8]) -> Option<Result<Draft, DraftError>> {
    let completion = Completion::read(body)?;
    Some(answer::draft(completion.reply).map_err(|failure| failure.error))
}

/// The draft in a model's text, or its faults.
pub fn draft(text: &str) -> Result<Draft, Vec<String>> {
    draft::read(text)
}
