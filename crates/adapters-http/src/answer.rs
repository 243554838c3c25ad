//! Answers of JSON, and what is written the same way in all of them.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header::ContentType},
};
use serde::{Serialize, Serializer, ser::Error as _};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use crate::error::ApiError;

/// An answer of JSON.
pub fn json(status: StatusCode, body: &impl Serialize) -> Result<HttpResponse, ApiError> {
    let json = serde_json::to_vec(body).map_err(|error| ApiError::internal(&error))?;
    Ok(HttpResponse::build(status)
        .content_type(ContentType::json())
        .body(json))
}

/// RFC 3339 in UTC, with as many decimals as it takes.
pub struct Timestamp(pub OffsetDateTime);

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self
            .0
            .to_offset(UtcOffset::UTC)
            .format(&Rfc3339)
            .map_err(S::Error::custom)?;
        serializer.serialize_str(&text)
    }
}
