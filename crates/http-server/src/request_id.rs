use std::{
    convert::Infallible,
    fmt,
    future::{Ready, ready},
};

use actix_web::{
    FromRequest, HttpMessage as _, HttpRequest,
    dev::Payload,
    http::header::{HeaderMap, HeaderName, HeaderValue},
};
use uuid::Uuid;

pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const MAX_LENGTH: usize = 128;

/// Visible ASCII without spaces or quotes, which is safe in headers, logs and JSON.
#[derive(Clone, Debug)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// The client's id if it is safe, otherwise a new UUIDv7.
    pub fn of(headers: &HeaderMap) -> Self {
        headers
            .get(X_REQUEST_ID)
            .filter(|value| harmless(value))
            .map_or_else(Self::draw, |value| Self(value.clone()))
    }

    fn draw() -> Self {
        let mut buffer = Uuid::encode_buffer();
        let text = Uuid::now_v7().hyphenated().encode_lower(&mut buffer);
        Self(HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("unknown")))
    }

    pub fn header(&self) -> HeaderValue {
        self.0.clone()
    }

    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}

impl FromRequest for RequestId {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let id = request.extensions().get().cloned();
        ready(Ok(id.unwrap_or_else(|| Self::of(request.headers()))))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn harmless(value: &HeaderValue) -> bool {
    (1..=MAX_LENGTH).contains(&value.len())
        && value
            .as_bytes()
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harmless_id_is_taken_over_and_any_other_replaced() {
        let long = "a".repeat(MAX_LENGTH);
        let too_long = "a".repeat(MAX_LENGTH + 1);
        for (sent, kept) in [
            ("abc-1.2_3", true),
            (long.as_str(), true),
            (too_long.as_str(), false),
            ("", false),
            ("a b", false),
            ("a\"b", false),
            ("a,b", false),
            ("é", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(
                X_REQUEST_ID,
                HeaderValue::from_bytes(sent.as_bytes()).unwrap(),
            );
            let id = RequestId::of(&headers);
            assert_eq!(id.as_str() == sent, kept, "{sent}");
            assert!(kept || Uuid::parse_str(id.as_str()).unwrap().get_version_num() == 7);
        }
        assert_eq!(RequestId::of(&HeaderMap::new()).as_str().len(), 36);
    }
}
