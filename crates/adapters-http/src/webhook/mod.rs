//! Webhooks over HTTP: a client registers receivers of events and looks after them.

mod manage;
mod payload;
mod ping;
mod view;

use actix_web::{HttpRequest, HttpResponse, dev::Payload, http::Method, web};

pub use self::{
    manage::{MANAGERS, MAX_DELIVERIES, PATH},
    payload::schemas as payload_schemas,
    ping::new_ping,
    view::{
        AttemptAnswer, DeliveriesAnswer, EndpointAnswer, EndpointsAnswer, SecretAnswer,
        delivery_data, endpoint_data,
    },
};
use crate::{api, error::ApiError, routing::READ_METHODS, state::State};

/// The list, one endpoint, and the operations on it.
pub fn routes(config: &mut web::ServiceConfig) {
    let one = format!("{PATH}/{{id}}");
    let of = |what: &str| format!("{one}/{what}");
    config
        .service(api::resource(PATH, list))
        .service(api::resource(&one, endpoint))
        .service(api::bodiless(
            &of("rotate-secret"),
            MANAGERS,
            "POST",
            manage::rotate,
        ))
        .service(api::bodiless(&of("test"), MANAGERS, "POST", manage::test))
        .service(api::resource(&of("replay"), replay))
        .service(api::bodiless(
            &of("deliveries"),
            MANAGERS,
            READ_METHODS,
            manage::deliveries,
        ));
}

async fn list(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    match *request.method() {
        Method::GET | Method::HEAD => manage::list(request, state).await,
        Method::POST => manage::create(request, payload, state).await,
        _ => refuse_method(request, state, "GET, HEAD, POST").await,
    }
}

async fn endpoint(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    match *request.method() {
        Method::GET | Method::HEAD => manage::show(request, state).await,
        Method::PATCH => manage::update(request, payload, state).await,
        Method::DELETE => manage::delete(request, state).await,
        _ => refuse_method(request, state, "DELETE, GET, HEAD, PATCH").await,
    }
}

async fn replay(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    match *request.method() {
        Method::POST => manage::replay(request, payload, state).await,
        _ => refuse_method(request, state, "POST").await,
    }
}

async fn refuse_method(
    request: &HttpRequest,
    state: &State,
    allow: &'static str,
) -> Result<HttpResponse, ApiError> {
    api::refuse_method(request, state, MANAGERS, allow).await
}
