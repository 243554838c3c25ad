//! Webhooks over HTTP: a client registers receivers of events and looks after them.

mod manage;
mod payload;
mod ping;
mod ports;
mod view;

use access::Scope;
use actix_web::{HttpRequest, HttpResponse, http::Method, web};
use kernel::ClientId;

pub use self::{
    manage::MAX_DELIVERIES,
    payload::schemas as payload_schemas,
    ping::new_ping,
    ports::WebhookPorts,
    view::{
        AttemptAnswer, DeliveriesAnswer, EndpointAnswer, EndpointsAnswer, SecretAnswer,
        delivery_data, endpoint_data,
    },
};
use crate::{api, error::ApiError, routing::READ_METHODS, state::State};

/// The path of the list.
pub const PATH: &str = "/api/job-board/webhooks";

/// The scopes that may manage webhooks.
pub const MANAGERS: &[Scope] = &[Scope::WebhooksManage];

/// The list, one endpoint, and the operations on it.
pub fn routes(config: &mut web::ServiceConfig) {
    let one = format!("{PATH}/{{id}}");
    let of = |what: &str| format!("{one}/{what}");
    config
        .service(web::resource(PATH).to(list))
        .service(web::resource(&one).to(endpoint))
        .service(api::resource(
            &of("rotate-secret"),
            MANAGERS,
            "POST",
            manage::rotate,
        ))
        .service(api::resource(&of("test"), MANAGERS, "POST", manage::test))
        .service(web::resource(of("replay")).to(replay))
        .service(api::resource(
            &of("deliveries"),
            MANAGERS,
            READ_METHODS,
            manage::deliveries,
        ));
}

async fn list(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let mut payload = payload.into_inner();
    let answer = match *request.method() {
        Method::GET | Method::HEAD => manage::list(&request, &state).await,
        Method::POST => manage::create(&request, &mut payload, &state).await,
        _ => refuse_method(&request, &state, "GET, HEAD, POST").await,
    };
    api::settle(&request, payload, answer).await
}

async fn endpoint(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let mut payload = payload.into_inner();
    let answer = match *request.method() {
        Method::GET | Method::HEAD => manage::show(&request, &state).await,
        Method::PATCH => manage::update(&request, &mut payload, &state).await,
        Method::DELETE => manage::delete(&request, &state).await,
        _ => refuse_method(&request, &state, "DELETE, GET, HEAD, PATCH").await,
    };
    api::settle(&request, payload, answer).await
}

async fn replay(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let mut payload = payload.into_inner();
    let answer = match *request.method() {
        Method::POST => manage::replay(&request, &mut payload, &state).await,
        _ => refuse_method(&request, &state, "POST").await,
    };
    api::settle(&request, payload, answer).await
}

async fn authorize(request: &HttpRequest, state: &State) -> Result<ClientId, ApiError> {
    Ok(api::authorize(request, state, MANAGERS).await?.id())
}

async fn refuse_method(
    request: &HttpRequest,
    state: &State,
    allow: &'static str,
) -> Result<HttpResponse, ApiError> {
    api::refuse_method(request, state, MANAGERS, allow).await
}
