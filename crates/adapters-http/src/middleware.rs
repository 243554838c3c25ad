//! The middleware around every request: request id and span, common headers, and recovery from
//! handlers that panic.

use std::{any::Any, cell::Cell, panic::AssertUnwindSafe, rc::Rc, time::Instant};

use actix_web::{
    Error, HttpMessage as _, HttpRequest, HttpResponse,
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
    oauth::{self, Usage},
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
    let usage = RequestUsage::default();
    request.extensions_mut().insert(usage.clone());
    let is_for_token = request.path() == oauth::TOKEN_PATH;
    let connection = Connection::of(request.request());
    let under_way = connection.map(|connection| connection.begin(request.request()));
    let guarded = async {
        let started = Instant::now();
        let outcome = AssertUnwindSafe(async { next.call(request).await })
            .catch_unwind()
            .await;
        let answer = finish(outcome, &Marks { id, usage }, is_for_token);
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

/// The use of the client's limit by a request, for the headers of its answer. It is shared, because
/// not every answer has its request: a handler that panics drops it.
#[derive(Clone, Default)]
pub struct RequestUsage(Rc<Cell<Option<Usage>>>);

impl RequestUsage {
    /// Sets it, once the client is known.
    pub fn set(request: &HttpRequest, usage: Option<Usage>) {
        if let Some(of_request) = request.extensions().get::<Self>() {
            of_request.0.set(usage);
        }
    }
}

/// The headers that answers have in common.
struct Marks {
    id: RequestId,
    usage: RequestUsage,
}

impl Marks {
    fn add_to(&self, headers: &mut HeaderMap) {
        headers.insert(X_REQUEST_ID, self.id.header());
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if let Some(usage) = self.usage.0.get() {
            usage.tell(headers);
        }
    }
}

type Outcome = Result<Result<ServiceResponse<BoxBody>, Error>, Box<dyn Any + Send>>;

fn finish(
    outcome: Outcome,
    marks: &Marks,
    is_for_token: bool,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let internal = || {
        let mut response = internal(&marks.id, is_for_token);
        marks.add_to(response.headers_mut());
        response
    };
    match outcome {
        Ok(Ok(response)) if response.status() == StatusCode::INTERNAL_SERVER_ERROR => {
            let (request, _) = response.into_parts();
            Ok(ServiceResponse::new(request, internal()))
        }
        Ok(Ok(mut response)) => {
            marks.add_to(response.headers_mut());
            Ok(response)
        }
        Ok(Err(error)) => {
            let mut response = error.error_response();
            if response.status() == StatusCode::INTERNAL_SERVER_ERROR {
                tracing::error!(cause = %error, "internal error");
                response = internal();
            }
            marks.add_to(response.headers_mut());
            Err(InternalError::from_response(error, response).into())
        }
        // The panic dropped the request, so only an error can carry the answer.
        Err(panic) => {
            tracing::error!(cause = panic_message(panic.as_ref()), "a handler panicked");
            Err(InternalError::from_response(ApiError::INTERNAL, internal()).into())
        }
    }
}

/// The answer to an internal failure: always the same, except for the request id.
pub fn internal(id: &RequestId, is_for_token: bool) -> HttpResponse {
    HttpResponse::InternalServerError().json(InternalBody {
        message: ApiError::INTERNAL,
        request_id: id.as_str(),
        error: is_for_token.then_some("server_error"),
        error_description: is_for_token.then_some(ApiError::INTERNAL),
    })
}

/// The message of a caught panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
