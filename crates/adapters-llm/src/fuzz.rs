//! What the fuzz target reaches of what is private otherwise. Built for it alone.

use domain::enrichment::{Draft, DraftError};

use crate::{answer, completion::Completion, draft};

/// The draft in an answer of the chat completions API; `None` for what is no answer of it.
pub fn read(body: &[u8]) -> Option<Result<Draft, DraftError>> {
    let completion = Completion::read(body)?;
    Some(answer::draft(completion.reply).map_err(|failure| failure.error))
}

/// The draft in a text that a model has written, or what is wrong with it.
pub fn draft(text: &str) -> Result<Draft, Vec<String>> {
    draft::read(text)
}
