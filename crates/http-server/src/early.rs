//! Adds a JSON body and a request id to the answers that actix-http itself gives to invalid input.

use actix_web::{http::header::HeaderMap, web::Bytes};

use serde_json::json;

use crate::request_id::{RequestId, X_REQUEST_ID};

/// After each of these answers, the connection is closed.
const KNOWN: [(&str, &str); 3] = [
    (
        "HTTP/1.1 400 Bad Request",
        "The request is not well-formed HTTP/1.1.",
    ),
    (
        "HTTP/1.1 408 Request Timeout",
        "The head of the request did not arrive in time.",
    ),
    (
        "HTTP/1.1 431 Request Header Fields Too Large",
        "The head of the request is too large.",
    ),
];

/// Returns the answer with a body and a request id. `None` for other answers.
pub fn with_body(answer: &[u8]) -> Option<Bytes> {
    let head = std::str::from_utf8(answer).ok()?.strip_suffix("\r\n\r\n")?;
    let (line, fields) = head.split_once("\r\n")?;
    let (_, message) = KNOWN.iter().find(|(known, _)| *known == line)?;
    let is_empty = |field: &str| field.eq_ignore_ascii_case("content-length: 0");
    if !fields.split("\r\n").any(is_empty) {
        return None;
    }
    let kept = fields.split("\r\n").filter(|field| {
        field
            .get(..5)
            .is_some_and(|name| name.eq_ignore_ascii_case("date:"))
    });
    let id = RequestId::of(&HeaderMap::new());
    tracing::debug!(request_id = %id, status = line, "a malformed request was refused");
    let body = json!({"message": message}).to_string();
    let length = body.len().to_string();
    let mut text = String::with_capacity(512);
    for field in std::iter::once(line).chain(kept) {
        text.extend([field, "\r\n"]);
    }
    text.extend([
        "content-type: application/json\r\ncontent-length: ",
        &length,
        "\r\nconnection: close\r\nx-content-type-options: nosniff\r\n",
        X_REQUEST_ID.as_str(),
        ": ",
        id.as_str(),
        "\r\n\r\n",
        &body,
    ]);
    Some(text.into())
}
