//! The body of a command: one JSON object, whose fields report themselves what is wrong.

mod vast;

use serde::de::{DeserializeOwned, IgnoredAny};

pub(crate) use self::vast::string_len;
use crate::{posting::PutError, validation::FieldErrors};

/// Reads a body. Wrong types of fields are no errors here; see [`crate::field`].
pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, PutError> {
    // Checked as a whole, because strings that are skipped would not be.
    let text = std::str::from_utf8(body)
        .map_err(|error| PutError::NotJson(format!("invalid UTF-8: {error}")))?;
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
