//! Reads the body of a request. Checks its type and size, and that it arrives in time.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    time::Duration,
};

use actix_web::{
    FromRequest, HttpMessage as _, HttpRequest,
    dev::Payload,
    error::PayloadError,
    http::{
        StatusCode,
        header::{self, HeaderMap, HeaderValue},
    },
    web::Bytes,
};
use futures_util::StreamExt;
use http_server::{Connection, content_length};
use tokio::time::timeout;

use crate::{
    context::RequestContext,
    error::{ApiError, refusals},
};

/// The initial size of the buffer in bytes. Most bodies fit.
const FIRST_ROOM: usize = 8 * 1024;

#[derive(Clone, Copy, Debug)]
pub struct BodyLimit {
    pub bytes: usize,
    pub time: Duration,
}

/// The body of a request. Only the handler reads it, so a request refused earlier takes no memory.
pub struct Body {
    request: HttpRequest,
    payload: Payload,
}

impl FromRequest for Body {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        ready(Ok(Self {
            request: request.clone(),
            payload: payload.take(),
        }))
    }
}

impl Body {
    pub const fn head(&self) -> &HttpRequest {
        &self.request
    }

    pub fn ask(self) -> Payload {
        if let Some(connection) = Connection::of(&self.request) {
            connection.ask_for_body();
        }
        self.payload
    }

    pub async fn json(self, limit: BodyLimit) -> Result<Bytes, ApiError> {
        expect_json(&self.request)?;
        let body = self.read(limit).await?;
        if body.is_empty() {
            return Err(ApiError::bad_request(
                "The body is empty; it must be a JSON object.",
            ));
        }
        Ok(body)
    }

    pub async fn read(self, limit: BodyLimit) -> Result<Bytes, ApiError> {
        let length = content_length(self.request.headers());
        if length.is_some_and(|length| length > limit.bytes as u64) {
            return Err(ApiError::body_too_large(limit.bytes));
        }
        let declared = length.and_then(|length| usize::try_from(length).ok());
        let most = declared.unwrap_or(limit.bytes);
        timeout(limit.time, self.collect(limit.bytes, most))
            .await
            .map_err(|_| ApiError::body_too_slow())?
    }

    /// Collects at most `limit` bytes in a buffer of at most `most`. The buffer grows, and counts,
    /// only when bytes arrive: a client may declare a length and send nothing.
    async fn collect(self, limit: usize, most: usize) -> Result<Bytes, ApiError> {
        let request = self.request.clone();
        let mut payload = self.ask();
        let mut body = Vec::new();
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|error| unreadable(&request, &error))?;
            let length = body.len() + chunk.len();
            if length > limit {
                return Err(ApiError::body_too_large(limit));
            }
            if length > body.capacity() {
                let room = (body.capacity() / 2 * 3).max(FIRST_ROOM).min(most);
                let room = room.max(length);
                RequestContext::hold(&request, room)?;
                body.reserve_exact(room - body.len());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body.into())
    }
}

fn unreadable(request: &HttpRequest, error: &PayloadError) -> ApiError {
    tracing::debug!(cause = %error, "a body could not be read");
    if Connection::of(request).is_some_and(|connection| connection.is_closing()) {
        return ApiError::busy();
    }
    ApiError::bad_request("The body ended early or its transfer encoding is broken.")
}

/// Accepts only uncompressed `application/json`. A charset is ignored: JSON is UTF-8 (RFC 8259
/// §11).
fn expect_json(request: &HttpRequest) -> Result<(), ApiError> {
    if !request
        .content_type()
        .eq_ignore_ascii_case("application/json")
    {
        return Err(ApiError::unsupported_media_type(
            "Content-Type must be application/json.",
        ));
    }
    expect_uncompressed(request.headers())
}

pub fn expect_uncompressed(headers: &HeaderMap) -> Result<(), ApiError> {
    let is_encoded = headers
        .get_all(header::CONTENT_ENCODING)
        .any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"));
    if is_encoded {
        Err(ApiError::unsupported_encoding())
    } else {
        Ok(())
    }
}

impl ApiError {
    pub fn body_too_large(limit: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("The body is too large; at most {limit} bytes are accepted."),
        )
    }

    pub fn unsupported_media_type(message: &'static str) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
    }
}

refusals! {
    body_too_slow: REQUEST_TIMEOUT, "The body did not arrive in time.";
    unsupported_encoding: UNSUPPORTED_MEDIA_TYPE,
        "Content-Encoding must be absent or identity.",
        ACCEPT_ENCODING: HeaderValue::from_static("identity");
}

#[cfg(test)]
mod tests {
    use actix_web::{ResponseError, http::StatusCode, test::TestRequest};
    use futures_util::stream;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_arrive_is_refused() {
        let request = TestRequest::put()
            .insert_header(header::ContentType::json())
            .to_http_request();
        let first = stream::once(async { Ok(Bytes::from_static(b"{")) });
        let payload = Payload::from(first.chain(stream::pending()).boxed_local());
        let limit = BodyLimit {
            bytes: 100,
            time: Duration::from_secs(30),
        };
        let error = Body { request, payload }.json(limit).await.unwrap_err();
        assert_eq!(error.status_code(), StatusCode::REQUEST_TIMEOUT);
    }

    #[test]
    fn only_json_that_is_not_compressed_is_read() {
        for (kind, encodings, accepted) in [
            ("application/json", &[][..], true),
            ("Application/JSON", &[], true),
            ("application/json; charset=latin1", &[], true),
            ("application/json;charset=\"UTF-8\"", &["identity"], true),
            ("", &[], false),
            ("application/merge-patch+json", &[], false),
            ("application/jsonp", &[], false),
            ("text/json", &[], false),
            ("application/json", &["gzip"], false),
            ("application/json", &["identity", "br"], false),
        ] {
            let mut request = TestRequest::put().append_header(("content-type", kind));
            for encoding in encodings {
                request = request.append_header(("content-encoding", *encoding));
            }
            let refused = expect_json(&request.to_http_request()).err();
            let status = refused.map(|error| error.status_code());
            let expect = (!accepted).then_some(StatusCode::UNSUPPORTED_MEDIA_TYPE);
            assert_eq!(status, expect, "{kind} {encodings:?}");
        }
        assert!(expect_json(&TestRequest::put().to_http_request()).is_err());
    }
}
