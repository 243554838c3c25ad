//! The body of a command: one JSON object, with errors reported per field.

mod cause;
mod members;
mod misread;
mod nul;
mod object;
mod tokens;
mod unknown;
mod vast;

use garde::Validate;
use serde::de::{DeserializeOwned, IgnoredAny};

pub use self::{
    cause::{Encoding, not_json},
    members::members,
    misread::HALF_OF_PAIR,
    nul::{may_have as may_have_nul, refuse as refuse_nul},
    object::{InvalidObject, compact_object},
    tokens::{BYTE_ORDER_MARK, Nesting, Token, TokenKind, Tokens},
    unknown::{nearest as nearest_field, refuse as refuse_unknown, refuse_as as refuse_unknown_as},
};
use crate::{FieldValue, Sent, validation::FieldErrors};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    #[error("The body is not valid JSON: {0}.")]
    NotJson(String),
    /// The identifier or the outermost type is wrong. Fields may be wrong, too.
    #[error(transparent)]
    Invalid(FieldErrors),
}

/// The text of a body, without a byte order mark. The whole body is checked, because the parser
/// skips strings without a check.
pub fn text(body: &[u8]) -> Result<&str, BodyError> {
    let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    std::str::from_utf8(body).map_err(|error| refused(body, &error))
}

fn refused(body: &[u8], error: &dyn std::fmt::Display) -> BodyError {
    BodyError::NotJson(not_json(body, false, &error.to_string()))
}

/// Parses a body declared with [`fields!`](crate::fields), and collects its errors.
pub fn parse<T>(text: &str) -> Result<(T, FieldErrors), BodyError>
where
    T: FieldValue + Validate<Context = ()> + Default,
{
    let (fields, mut errors) = read::<Sent<T>>(text)?.checked();
    refuse_nul(text, T::FIELDS, &mut errors);
    Ok((fields, errors))
}

/// Reads a body. Fields of a wrong type are no errors here; see [`Sent`].
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, BodyError> {
    if text.trim_start().starts_with('{') {
        serde_json::from_str(text).or_else(|error| {
            let Some(replaced) = vast::replaced(text) else {
                return Err(refused(text.as_bytes(), &misread::cause(text, &error)));
            };
            let read = serde_json::from_str(&replaced);
            read.map_err(|error| refused(text.as_bytes(), &misread::cause(&replaced, &error)))
        })
    } else {
        serde_json::from_str::<IgnoredAny>(text)
            .map_err(|error| refused(text.as_bytes(), &error))?;
        let why = if is_encoded_twice(text) {
            "must be a JSON object, and is a string that holds one; encode it once"
        } else {
            "must be a JSON object"
        };
        Err(BodyError::Invalid(FieldErrors::one("body", why)))
    }
}

/// Whether a text is a string that holds an object.
pub fn is_encoded_twice(text: &str) -> bool {
    let inner = serde_json::from_str::<String>(text);
    inner.is_ok_and(|inner| inner.trim_start().starts_with('{'))
}
