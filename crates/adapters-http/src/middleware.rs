//! The middleware around every request: request id and span, common headers, and recovery from
//! handlers that panic.

use std::{any::Any, panic::AssertUnwindSafe, time::Instant};

use actix_web::{
    Error, HttpResponse,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    error::InternalError,
    http::{
        StatusCode,
        header::{HeaderMap, HeaderValue, X_CONTENT_TYPE_OPTIONS},
    },
    middleware::Next,
};
use futures_util::FutureExt;
use tracing::Instrument;

use crate::{
    connection::Connection,
    error::{ApiError, InternalBody},
    oauth,
    request_id::{RequestId, X_REQUEST_ID},
    subscriber,
};

/// Assigns the request id, runs the handler in a span, catches its panic, and logs the answer.
///
/// Each answer is logged at level `debug`, because a line would cost more than most answers do;
/// failures of the service itself are logged at `warn`. Of the address, only the path is logged,
/// without a subscriber's e-mail address: query strings contain tokens.
pub async fn track(
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let id = RequestId::of(request.headers());
    let span = tracing::info_span!(
        "request",
        request_id = %id,
        method = %request.method(),
        path = subscriber::loggable(request.path(), request.match_info().as_str()),
    );
    let is_for_token = request.path() == oauth::TOKEN_PATH;
    let connection = Connection::of(request.request());
    let under_way = connection.map(|connection| connection.begin(request.request()));
    let guarded = async {
        let started = Instant::now();
        let outcome = AssertUnwindSafe(async { next.call(request).await })
            .catch_unwind()
            .await;
        let answer = finish(outcome, &id, is_for_token);
        let status = match &answer {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        let (status, elapsed) = (status.as_u16(), started.elapsed());
        if status >= 500 {
            tracing::warn!(status, ?elapsed, "answered");
        } else {
            tracing::debug!(status, ?elapsed, "answered");
        }
        match under_way {
            Some(under_way) => {
                answer.map(|answer| answer.map_body(|_, body| under_way.answer(body)))
            }
            None => answer,
        }
    };
    guarded.instrument(span).await
}

type Outcome = Result<Result<ServiceResponse<BoxBody>, Error>, Box<dyn Any + Send>>;

fn finish(
    outcome: Outcome,
    id: &RequestId,
    is_for_token: bool,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match outcome {
        Ok(Ok(response)) if response.status() == StatusCode::INTERNAL_SERVER_ERROR => {
            let (request, _) = response.into_parts();
            Ok(ServiceResponse::new(request, internal(id, is_for_token)))
        }
        Ok(Ok(mut response)) => {
            mark(response.headers_mut(), id);
            Ok(response)
        }
        Ok(Err(error)) => {
            let mut response = error.error_response();
            if response.status() == StatusCode::INTERNAL_SERVER_ERROR {
                tracing::error!(cause = %error, "internal error");
                response = internal(id, is_for_token);
            }
            mark(response.headers_mut(), id);
            Err(InternalError::from_response(error, response).into())
        }
        // The panic dropped the request, so only an error can carry the answer.
        Err(panic) => {
            tracing::error!(cause = panic_message(panic.as_ref()), "a handler panicked");
            Err(InternalError::from_response(ApiError::INTERNAL, internal(id, is_for_token)).into())
        }
    }
}

/// The answer to an internal failure: always the same, except for the request id.
pub fn internal(id: &RequestId, is_for_token: bool) -> HttpResponse {
    let mut response = HttpResponse::InternalServerError().json(InternalBody {
        message: ApiError::INTERNAL,
        request_id: id.as_str(),
        error: is_for_token.then_some("server_error"),
        error_description: is_for_token.then_some(ApiError::INTERNAL),
    });
    mark(response.headers_mut(), id);
    response
}

fn mark(headers: &mut HeaderMap, id: &RequestId) {
    headers.insert(X_REQUEST_ID, id.header());
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// The message of a caught panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
