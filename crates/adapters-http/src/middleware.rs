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
use kernel::ClientId;
use tracing::Instrument;

use crate::{
    access::{self, Access},
    connection::Connection,
    error::{ApiError, InternalBody},
    oauth::{self, Usage},
    request_id::{RequestId, X_REQUEST_ID},
    subscriber,
    trace::RequestSpan,
};

/// Assigns the request id, runs the handler in a span, catches its panic, and logs the answer.
///
/// Each answer is a line of the [access log](Access), and failures of the service itself are logged
/// at `warn` as well, with the path. It is without a subscriber's e-mail address and without the
/// query string, which contains tokens.
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
    let method = access::method(request.method());
    let traced = RequestSpan::start(&request, method);
    let is_for_token = request.path() == oauth::TOKEN_PATH;
    let connection = Connection::of(request.request());
    let under_way = connection.map(|connection| connection.begin(request.request()));
    let guarded = async {
        let started = Instant::now();
        let outcome = AssertUnwindSafe(async { next.call(request).await })
            .catch_unwind()
            .await;
        let marks = Marks { id, usage };
        let answer = finish(outcome, &marks, is_for_token);
        let (status, route) = match &answer {
            Ok(response) => {
                let pattern = response.request().match_pattern();
                (response.status(), pattern.as_deref().map(access::template))
            }
            Err(error) => (error.as_response_error().status_code(), None),
        };
        let elapsed = started.elapsed();
        let access = Access {
            id: &marks.id,
            method,
            route: route.as_deref(),
            status,
            client: marks.usage.client(),
            trace: traced.as_ref().and_then(RequestSpan::trace_id),
            elapsed,
        };
        access.note();
        if let Some(span) = traced {
            span.end(route.as_deref(), status, marks.id.as_str());
        }
        if status.is_server_error() {
            tracing::warn!(status = status.as_u16(), ?elapsed, "answered");
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

/// The client of a request, for the access log, and the use of its limit, for the headers of the
/// answer. It is shared, because not every answer has its request: a handler that panics drops it.
#[derive(Clone, Default)]
pub struct RequestUsage(Rc<Noticed>);

#[derive(Default)]
struct Noticed {
    usage: Cell<Option<Usage>>,
    client: Cell<Option<ClientId>>,
}

impl RequestUsage {
    /// Sets the use of the limit, once the client is known.
    pub fn set(request: &HttpRequest, usage: Option<Usage>) {
        if let Some(of_request) = request.extensions().get::<Self>() {
            of_request.0.usage.set(usage);
        }
    }

    /// Sets the client.
    pub fn set_client(request: &HttpRequest, client: ClientId) {
        if let Some(of_request) = request.extensions().get::<Self>() {
            of_request.0.client.set(Some(client));
        }
    }

    fn client(&self) -> Option<ClientId> {
        self.0.client.get()
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
        if let Some(usage) = self.usage.0.usage.get() {
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
