//! Moving to the new account by the link in an e-mail.
//!
//! The link leads to a page with two buttons, to move and to unsubscribe instead, and only a
//! button changes anything: mail scanners follow links, and fetch pages without being asked.
//! Browsers get pages in a language that they accept, also for errors; programs get JSON.

mod accept;
mod form;
mod language;
mod page;
mod schema;
mod texts;

use std::future::ready;

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    dev::Payload,
    http::{Method, header::LOCATION},
    web,
};
use newsletter::{subscriber::Subscriber, usecase::NewsletterError};

#[cfg(fuzzing)]
pub use self::form::{Form as LinkForm, of_form, of_json, token_of_query};
pub use self::{form::Action, schema::schemas};
use self::{
    form::Form,
    page::{Page, Pages},
    texts::{Passage, Texts},
};
use crate::{api, error::ApiError, routing::get_only, state::State};

/// Where the link leads.
pub const CONFIRM_PATH: &str = "/newsletter/confirm-migration";
/// Where people end up who move, or have moved.
pub const CONFIRMED_PATH: &str = "/newsletter/migration-confirmed";
/// Where people end up who unsubscribe.
pub const UNSUBSCRIBED_PATH: &str = "/newsletter/unsubscribed";
/// Where people end up who get no mail.
pub const NOT_SUBSCRIBED_PATH: &str = "/newsletter/not-subscribed";

/// The largest form that is read: it has one token, and any client may send one.
const MOST_BYTES: usize = 4 * 1024;

const STYLE_PATH: &str = "/newsletter/style.css";

/// What a page says, in any language.
type Says = fn(&Texts) -> &Passage;

/// The pages that a button leads to, and what they say.
const ENDS: [(&str, Says); 3] = [
    (CONFIRMED_PATH, |texts| &texts.confirmed),
    (UNSUBSCRIBED_PATH, |texts| &texts.unsubscribed),
    (NOT_SUBSCRIBED_PATH, |texts| &texts.not_subscribed),
];

/// The pages and what they need.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(web::resource(CONFIRM_PATH).to(confirm));
    for (path, says) in ENDS {
        let end =
            move |request: HttpRequest, state: web::Data<State>| ready(end(&request, &state, says));
        config.service(get_only(path, end));
    }
    config.service(get_only(STYLE_PATH, style));
}

async fn confirm(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> HttpResponse {
    let mut payload = payload.into_inner();
    let answer = match *request.method() {
        Method::GET | Method::HEAD => ask(&request, &state).await,
        Method::POST => press(&request, &mut payload, &state).await,
        _ => Err(ApiError::method_not_allowed("GET, HEAD, POST")),
    };
    let answer = api::settle(&request, payload, answer).await;
    let mut response = answer.unwrap_or_else(|error| error.error_response());
    page::guard(response.headers_mut());
    response
}

/// `GET`: asks the person. It changes nothing.
async fn ask(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let Some(token) = form::token_of_query(request.query_string()) else {
        return refuse(request, state, Refusal::UnknownToken);
    };
    match state.ports.newsletter.find_by_token(&token).await {
        Ok(Some(subscriber)) if leads_on(&subscriber) => Ok(redirect(end_of(&subscriber))),
        Ok(Some(_)) => Ok(pages(request, state).confirm(&token)?.answer()),
        Ok(None) => refuse(request, state, Refusal::UnknownToken),
        Err(error) => refuse(request, state, Refusal::Failed(error, None)),
    }
}

/// `POST`: moves or unsubscribes the person.
async fn press(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    let limit = state.anonymous_limit(MOST_BYTES);
    let Some(form) = form::of_body(request, payload, limit).await? else {
        return refuse(request, state, Refusal::UnknownToken);
    };
    let newsletter = &state.ports.newsletter;
    let holder = match form.action {
        Action::Confirm => newsletter.confirm_migration(&form.token).await,
        Action::Unsubscribe => newsletter.unsubscribe(&form.token).await,
    };
    match holder {
        Ok(Some(holder)) => {
            let (id, action) = (holder.id, form.action.as_str());
            tracing::debug!(subscriber = %id, action, "the holder of a link pressed a button");
            Ok(redirect(match form.action {
                Action::Confirm => end_of(&holder),
                Action::Unsubscribe => UNSUBSCRIBED_PATH,
            }))
        }
        Ok(None) => refuse(request, state, Refusal::UnknownToken),
        // Not with a button to try again: that would not help.
        Err(error @ NewsletterError::NotSetUp) => {
            refuse(request, state, Refusal::Failed(error, None))
        }
        Err(error) => refuse(request, state, Refusal::Failed(error, Some(form))),
    }
}

fn end(request: &HttpRequest, state: &State, says: Says) -> Result<HttpResponse, ApiError> {
    let pages = pages(request, state);
    let mut response = pages.plain(says(pages.texts()))?.answer();
    page::guard(response.headers_mut());
    Ok(response)
}

async fn style() -> HttpResponse {
    page::style()
}

fn pages<'a>(request: &HttpRequest, state: &'a State) -> Pages<'a> {
    Pages::of(request, &state.board_name)
}

/// Whether there is nothing to ask the person.
const fn leads_on(subscriber: &Subscriber) -> bool {
    subscriber.migrated.is_some() || subscriber.status.is_suppressed()
}

/// The page that says how the person stands.
const fn end_of(subscriber: &Subscriber) -> &'static str {
    if subscriber.status.is_suppressed() {
        NOT_SUBSCRIBED_PATH
    } else {
        CONFIRMED_PATH
    }
}

/// Leads on with a `GET`, so that loading the page again sends nothing twice. The page has no
/// secret in its address.
fn redirect(path: &'static str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, path))
        .finish()
}

/// Why a link does not do what it is for.
enum Refusal {
    /// No subscriber has the token, or there is none.
    UnknownToken,
    /// The store failed; with the form that was sent, to try it again.
    Failed(NewsletterError, Option<Form>),
}

/// The refusal for the client: JSON for a program, for a browser a page with the same status and
/// headers.
fn refuse(
    request: &HttpRequest,
    state: &State,
    refusal: Refusal,
) -> Result<HttpResponse, ApiError> {
    let pages = pages(request, state);
    let (error, page): (_, Result<Page, _>) = match refusal {
        Refusal::UnknownToken => (
            ApiError::no_such_token(),
            pages.plain(&pages.texts().unknown),
        ),
        Refusal::Failed(cause, form) => (
            ApiError::confirmation_failed(&cause),
            pages.failed(form.as_ref()),
        ),
    };
    if accept::prefers_page(request) {
        Ok(page?.instead_of(error.error_response()))
    } else {
        Err(error)
    }
}
