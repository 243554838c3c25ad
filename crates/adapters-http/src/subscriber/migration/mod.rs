//! Moving to the new account by the link in an e-mail.
//!
//! The link leads to a page with a button, and only the button moves anybody: mail scanners
//! follow links, and fetch pages without being asked. Whoever opens these addresses with a
//! browser gets pages, also for errors; programs get JSON.

mod accept;
mod page;
mod schema;
mod token;

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    dev::Payload,
    http::{Method, header::LOCATION},
    web,
};
use domain::{
    subscriber::{MigrationToken, Subscriber},
    usecase::NewsletterError,
};

pub use self::schema::schemas;
use crate::{api, application::State, error::ApiError, routing::get_only};

/// Where the link leads.
pub const CONFIRM_PATH: &str = "/newsletter/confirm-migration";
/// Where everybody ends up.
pub const CONFIRMED_PATH: &str = "/newsletter/migration-confirmed";

/// Where who gets no mail ends up.
pub const NOT_SUBSCRIBED_PATH: &str = "/newsletter/not-subscribed";

/// The largest form that is read: it has one token, and anybody may send one.
const MOST_BYTES: usize = 4 * 1024;

const STYLE_PATH: &str = "/newsletter/style.css";

/// The pages and what they need.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(web::resource(CONFIRM_PATH).to(confirm))
        .service(get_only(CONFIRMED_PATH, confirmed))
        .service(get_only(NOT_SUBSCRIBED_PATH, not_subscribed))
        .service(get_only(STYLE_PATH, style));
}

async fn confirm(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> HttpResponse {
    let mut payload = payload.into_inner();
    let answer = match *request.method() {
        Method::GET | Method::HEAD => ask(&request, &state).await,
        Method::POST => move_over(&request, &mut payload, &state).await,
        _ => Err(ApiError::method_not_allowed("GET, HEAD, POST")),
    };
    let answer = api::settle(&request, payload, answer).await;
    let mut response = answer.unwrap_or_else(|error| error.error_response());
    page::guard(response.headers_mut());
    response
}

/// `GET`: asks the person. It changes nothing.
async fn ask(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let Some(token) = token::of_query(request.query_string()) else {
        return refuse(request, Refusal::UnknownToken);
    };
    match state.ports.newsletter.find_by_token(&token).await {
        Ok(Some(subscriber)) if leads_on(&subscriber) => Ok(redirect(&subscriber)),
        Ok(Some(_)) => page::confirm(&token),
        Ok(None) => refuse(request, Refusal::UnknownToken),
        Err(error) => refuse(request, Refusal::Failed(error, None)),
    }
}

/// `POST`: moves the person.
async fn move_over(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    let Some(token) = token::of_body(request, payload, state.anonymous_limit(MOST_BYTES)).await?
    else {
        return refuse(request, Refusal::UnknownToken);
    };
    match state.ports.newsletter.confirm_migration(&token).await {
        Ok(Some(subscriber)) => {
            tracing::debug!(subscriber = %subscriber.id, "a move was confirmed");
            Ok(redirect(&subscriber))
        }
        Ok(None) => refuse(request, Refusal::UnknownToken),
        // Not with a button to try again: that would not help.
        Err(error @ NewsletterError::NotSetUp) => refuse(request, Refusal::Failed(error, None)),
        Err(error) => refuse(request, Refusal::Failed(error, Some(token))),
    }
}

async fn confirmed() -> Result<HttpResponse, ApiError> {
    let mut response = page::confirmed()?;
    page::guard(response.headers_mut());
    Ok(response)
}

async fn not_subscribed() -> Result<HttpResponse, ApiError> {
    let mut response = page::not_subscribed()?;
    page::guard(response.headers_mut());
    Ok(response)
}

async fn style() -> HttpResponse {
    page::style()
}

/// Whether there is nothing to ask the person.
const fn leads_on(subscriber: &Subscriber) -> bool {
    subscriber.migrated.is_some() || subscriber.status.is_suppressed()
}

/// Leads on with a `GET`, so that loading the page again sends nothing twice. The page has no
/// secret in its address.
fn redirect(subscriber: &Subscriber) -> HttpResponse {
    let path = if subscriber.status.is_suppressed() {
        NOT_SUBSCRIBED_PATH
    } else {
        CONFIRMED_PATH
    };
    HttpResponse::SeeOther()
        .insert_header((LOCATION, path))
        .finish()
}

/// Why a link does not do what it is for.
enum Refusal {
    /// Nobody has the token, or there is none.
    UnknownToken,
    /// The store failed; with the token, to try again what was sent.
    Failed(NewsletterError, Option<MigrationToken>),
}

/// The refusal for whoever asks: JSON, or a page with the same status and headers.
fn refuse(request: &HttpRequest, refusal: Refusal) -> Result<HttpResponse, ApiError> {
    let (error, body) = match refusal {
        Refusal::UnknownToken => (ApiError::no_such_token(), page::unknown()),
        Refusal::Failed(cause, token) => (
            ApiError::confirmation_failed(&cause),
            page::failed(token.as_ref()),
        ),
    };
    if accept::prefers_page(request) {
        Ok(page::instead_of(error.error_response(), body?))
    } else {
        Err(error)
    }
}
