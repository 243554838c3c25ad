//! Answers of JSON, and what is written the same way in all of them.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header::ContentType},
};
use serde::{Serialize, Serializer, ser::Error as _};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};
use tokio::task::spawn_blocking;

use crate::error::ApiError;

/// An answer of JSON.
pub fn json(status: StatusCode, body: &impl Serialize) -> Result<HttpResponse, ApiError> {
    let json = serde_json::to_vec(body).map_err(|error| ApiError::internal(&error))?;
    Ok(HttpResponse::build(status)
        .content_type(ContentType::json())
        .body(json))
}

/// The same of a value that may be large: past this many bytes it is written on a thread of its
/// own, because this one answers health checks, too.
pub async fn large_json<T: Send + 'static>(
    value: T,
    bytes: usize,
    write: impl FnOnce(&T) -> Result<Vec<u8>, serde_json::Error> + Send + 'static,
) -> Result<HttpResponse, ApiError> {
    const LARGE: usize = 64 * 1024;
    let json = if bytes < LARGE {
        write(&value)
    } else {
        // The value is dropped there, which takes its time as well.
        spawn_blocking(move || write(&value))
            .await
            .map_err(|error| ApiError::internal(&error))?
    };
    let json = json.map_err(|error| ApiError::internal(&error))?;
    Ok(HttpResponse::Ok()
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
