//! The middleware around every request: request id, span, common headers, and panics of handlers.

use std::{any::Any, panic::AssertUnwindSafe, time::Instant};

use actix_web::{
    Error, HttpMessage as _, HttpRequest, HttpResponse, ResponseError as _,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    error::InternalError,
    http::{
        StatusCode,
        header::{HeaderValue, X_CONTENT_TYPE_OPTIONS},
    },
    middleware::Next,
    web,
};
use futures_util::FutureExt;
use http_server::{InFlight, RequestId, X_REQUEST_ID};
use runtime::panics;
use tracing::Instrument;

use crate::{
    accept, access,
    answer::held,
    context::RequestContext,
    error::{ApiError, InternalBody, OfToken},
    oauth, problem,
    state::State,
    subscriber,
    trace::RequestSpan,
};

/// Assigns the request id, runs the handler in a span, catches panics, and logs the answer.
///
/// Each answer is a line of the [access log](access::note). Failures of the service are also logged
/// at `warn` with their path. E-mail addresses are removed, and so is the query string.
pub async fn track(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let id = RequestId::of(request.headers());
    let span = tracing::info_span!(
        "request",
        request_id = %id,
        method = %request.method(),
        path = subscriber::loggable(request.path(), request.match_info().as_str()),
    );
    let state = request.app_data::<web::Data<State>>();
    let context = RequestContext::of_stranger(state.map(|state| state.strangers.clone()));
    request.extensions_mut().insert(context.clone());
    request.extensions_mut().insert(id.clone());
    let method = access::method(request.method());
    let traced = RequestSpan::start(&request, method);
    let is_for_token = request.path() == oauth::TOKEN_PATH;
    // Errors of the token endpoint have the form of RFC 6749.
    let asks_for_problems = !is_for_token && accept::asks_for_problems(&request);
    let in_flight = InFlight::begin(&mut request);
    let guarded = async {
        let started = Instant::now();
        let outcome = AssertUnwindSafe(async { next.call(request).await })
            .catch_unwind()
            .await;
        let (request, mut response) = finish(outcome, &id, is_for_token);
        response = hold(&context, method, response);
        if asks_for_problems {
            response = problem::written(response);
        }
        let headers = response.headers_mut();
        headers.insert(X_REQUEST_ID, id.header());
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        context.tell_usage(headers);
        let status = response.status();
        if status.is_client_error() || status.is_server_error() {
            in_flight.refuse().await;
        }
        let route = request.as_ref().and_then(HttpRequest::match_pattern);
        let route = route.as_deref().map(access::template);
        let elapsed = started.elapsed();
        let trace_id = traced.as_ref().and_then(RequestSpan::trace_id);
        let of_route = route.as_deref();
        access::note(
            &id,
            method,
            of_route,
            status,
            context.client(),
            trace_id,
            elapsed,
        );
        if let Some(span) = traced {
            span.end(route.as_deref(), status, id.as_str());
        }
        if status.is_server_error() {
            let duration_ms = elapsed.as_millis();
            tracing::warn!(status = status.as_u16(), duration_ms, "answered");
        }
        let response = response.map_body(|_, body| in_flight.answer(body, context.take_held()));
        match request {
            Some(request) => Ok(ServiceResponse::new(request, response)),
            // Only an error can be returned without the request.
            None => Err(InternalError::from_response(ApiError::INTERNAL, response).into()),
        }
    };
    guarded.instrument(span).await
}

/// Reserves the bytes of a long answer to `GET` or `HEAD`, which can be repeated. If there is no
/// room, returns a refusal instead.
fn hold(context: &RequestContext, method: &str, response: HttpResponse) -> HttpResponse {
    match held(&response).filter(|_| matches!(method, "GET" | "HEAD")) {
        Some(bytes) => match context.hold_bytes(bytes) {
            Ok(()) => response,
            Err(refused) => refused.error_response(),
        },
        None => response,
    }
}

type Outcome = Result<Result<ServiceResponse<BoxBody>, Error>, Box<dyn Any + Send>>;

fn finish(
    outcome: Outcome,
    id: &RequestId,
    is_for_token: bool,
) -> (Option<HttpRequest>, HttpResponse) {
    let (request, mut response) = match outcome {
        Ok(Ok(response)) => {
            let (request, response) = response.into_parts();
            (Some(request), response)
        }
        Ok(Err(error)) => {
            let response = error.error_response();
            if response.status() == StatusCode::INTERNAL_SERVER_ERROR {
                tracing::error!(cause = %error, "internal error");
            }
            (None, response)
        }
        Err(panic) => {
            tracing::error!(cause = panics::text(panic.as_ref()), "a handler panicked");
            (None, HttpResponse::InternalServerError().finish())
        }
    };
    if response.status() == StatusCode::INTERNAL_SERVER_ERROR {
        response = internal(id, is_for_token);
    }
    (request, response)
}

pub fn internal(id: &RequestId, is_for_token: bool) -> HttpResponse {
    HttpResponse::InternalServerError().json(InternalBody {
        message: ApiError::INTERNAL,
        request_id: id.as_str(),
        of_token: is_for_token.then_some(OfToken {
            error: "server_error",
            error_description: ApiError::INTERNAL,
        }),
    })
}
