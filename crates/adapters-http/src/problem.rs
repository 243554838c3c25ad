//! Errors as problem details (RFC 9457), for clients that request this form.

use actix_web::{
    HttpResponse,
    body::MessageBody as _,
    http::{
        StatusCode,
        header::{ACCEPT, CONTENT_TYPE, HeaderValue, VARY},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use views::json::Fields;

use crate::accept::PROBLEM;

#[derive(Deserialize)]
struct Sent {
    message: String,
    errors: Option<Value>,
    request_id: Option<String>,
}

/// An error in the form of RFC 9457, for `Accept: application/problem+json`.
#[derive(Serialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`: the kind of problem is that of the status.
    #[serde(rename = "type")]
    #[schema(extensions(("const" = json!("about:blank"))))]
    kind: &'static str,
    /// The name of the status.
    title: &'static str,
    /// The status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// Human-readable description of the problem.
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = Fields::schema)]
    errors: Option<Value>,
    /// The request's id, as in `X-Request-Id`, if the service failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(extensions(("x-optional" = json!(true))))]
    request_id: Option<String>,
}

impl Problem {
    /// The same error as problem details. `None` if the body is not an error of this API.
    pub fn of(status: StatusCode, body: &[u8]) -> Option<Self> {
        let sent: Sent = serde_json::from_slice(body).ok()?;
        Some(Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            detail: sent.message,
            errors: sent.errors,
            request_id: sent.request_id,
        })
    }
}

/// Writes errors as problem details. Pages and receipts are not changed.
pub fn written(answer: HttpResponse) -> HttpResponse {
    let status = answer.status();
    let kind = answer.headers().get(CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind == "application/json");
    if !is_json || !(status.is_client_error() || status.is_server_error()) {
        return answer;
    }
    let (mut head, body) = answer.into_parts();
    let body = match body.try_into_bytes() {
        Ok(body) => body,
        Err(body) => return head.set_body(body),
    };
    let problem = Problem::of(status, &body).and_then(|it| serde_json::to_vec(&it).ok());
    let Some(problem) = problem else {
        return head.set_body(body).map_into_boxed_body();
    };
    let headers = head.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM));
    headers.append(VARY, HeaderValue::from(ACCEPT));
    head.set_body(problem).map_into_boxed_body()
}
