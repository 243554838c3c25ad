//! The body of a command: one JSON object, whose fields report themselves what is wrong.

mod nul;
mod vast;

use serde::de::{DeserializeOwned, IgnoredAny};

pub(crate) use self::{
    nul::refuse as refuse_nul,
    vast::{is_vast, string_len},
};
use crate::{posting::PutError, validation::FieldErrors};

/// The text of a body. Checked as a whole, because strings that are skipped would not be.
pub(crate) fn text(body: &[u8]) -> Result<&str, PutError> {
    std::str::from_utf8(body).map_err(|error| PutError::NotJson(format!("invalid UTF-8: {error}")))
}

/// Reads a body. Wrong types of fields are no errors here; see [`crate::field`].
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, PutError> {
    let not_json = |error: serde_json::Error| PutError::NotJson(error.to_string());
    if text.trim_start().starts_with('{') {
        serde_json::from_str(text).or_else(|error| {
            vast::replaced(text)
                .and_then(|text| serde_json::from_str(&text).ok())
                .ok_or_else(|| not_json(error))
        })
    } else {
        serde_json::from_str::<IgnoredAny>(text).map_err(not_json)?;
        Err(PutError::Invalid(FieldErrors::one(
            "body",
            "must be a JSON object",
        )))
    }
}
