//! `metadata`: a JSON object, kept as text so that it is returned as sent.

use std::sync::Arc;

use fields::{FieldValue, Sent, body::compact_object};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// A JSON object as [compact text](compact_object).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata(Arc<str>);

impl Metadata {
    /// Wraps a stored text from [`Self::as_str`].
    pub fn from_store(json: &str) -> Self {
        Self(json.into())
    }

    /// The object's JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text is not parsed into values, so it is returned as sent.
impl FieldValue for Metadata {
    const EXPECTED: &'static str = "an object";

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sent<Self>, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?.get();
        if json == "null" {
            return Ok(Sent::null());
        }
        let compact = compact_object(json).map(|json| Sent::set(Self(json.into())));
        Ok(compact.unwrap_or_else(|error| Sent::wrong(error.to_string())))
    }
}
