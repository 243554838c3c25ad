//! The pages that confirm the move to the new account. An e-mail links to them.
//!
//! The link leads to a page with two buttons: move, or unsubscribe. Only a button changes anything,
//! because mail scanners follow links. Pages are in a language that the browser accepts. Programs
//! get errors as JSON.

mod form;
mod page;
mod texts;

use std::future::ready;

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{Method, header::LOCATION},
    middleware::{Next, from_fn},
    web,
};
use newsletter::{subscriber::Subscriber, usecase::NewsletterError};

#[cfg(fuzzing)]
pub use self::form::{Form as LinkForm, of_form, of_json, token_of_query};
pub use self::{form::Action, page::Pages};
use self::{
    form::Form,
    page::{CONFIRM_PATH, PassageOf, STYLE_PATH, Says},
};
use crate::{
    accept::prefers_page,
    answer::Answer,
    body::Body,
    error::{ApiError, RETRY_SWITCHED_OFF, RETRY_UNAVAILABLE, refusals},
    resource::open,
    state::State,
};

pub const CONFIRMED_PATH: &str = "/newsletter/migration-confirmed";
pub const UNSUBSCRIBED_PATH: &str = "/newsletter/unsubscribed";
pub const NOT_SUBSCRIBED_PATH: &str = "/newsletter/not-subscribed";

/// The largest form in bytes. A form contains only a token, and anyone may send it.
const MOST_BYTES: usize = 4 * 1024;

const RESULT_PAGES: [(&str, PassageOf); 3] = [
    (CONFIRMED_PATH, |texts| &texts.confirmed),
    (UNSUBSCRIBED_PATH, |texts| &texts.unsubscribed),
    (NOT_SUBSCRIBED_PATH, |texts| &texts.not_subscribed),
];

pub fn routes(config: &mut web::ServiceConfig) {
    let confirm = open(CONFIRM_PATH).get(ask).on(Method::POST, press).build();
    config.service(confirm.wrap(from_fn(guard)));
    for (path, passage_of) in RESULT_PAGES {
        let handler = move |request: HttpRequest, pages: web::Data<Pages>| {
            let answer = HttpResponse::Ok().finish();
            ready(pages.show(&request, Says::Passage(passage_of), answer))
        };
        config.service(open(path).get(handler).build().wrap(from_fn(guard)));
    }
    config.service(open(STYLE_PATH).get(page::style));
}

async fn guard(
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, actix_web::Error> {
    let mut answer = next.call(request).await?;
    page::guard(answer.headers_mut());
    Ok(answer)
}

async fn ask(request: HttpRequest, state: web::Data<State>, pages: web::Data<Pages>) -> Answer {
    let (request, pages) = (&request, &pages);
    let Some(token) = form::token_of_query(request.query_string()) else {
        return unknown(request, pages);
    };
    match state.ports.newsletter.find_by_token(&token).await {
        Ok(Some(subscriber)) if needs_no_confirmation(&subscriber) => {
            Ok(redirect(result_path(&subscriber)))
        }
        Ok(Some(_)) => pages.show(request, Says::Question(&token), HttpResponse::Ok().finish()),
        Ok(None) => unknown(request, pages),
        Err(error) => failed(request, pages, &error, None),
    }
}

async fn press(
    request: HttpRequest,
    body: Body,
    state: web::Data<State>,
    pages: web::Data<Pages>,
) -> Answer {
    let (request, pages) = (&request, &pages);
    let limit = state.anonymous_limit(MOST_BYTES);
    let Some(form) = form::of_body(body, limit).await? else {
        return unknown(request, pages);
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
                Action::Confirm => result_path(&holder),
                Action::Unsubscribe => UNSUBSCRIBED_PATH,
            }))
        }
        Ok(None) => unknown(request, pages),
        // The form with its button to retry is left out, because a retry would not help.
        Err(error @ NewsletterError::NotSetUp) => failed(request, pages, &error, None),
        Err(error) => failed(request, pages, &error, Some(&form)),
    }
}

const fn needs_no_confirmation(subscriber: &Subscriber) -> bool {
    subscriber.migrated.is_some() || subscriber.status.is_suppressed()
}

const fn result_path(subscriber: &Subscriber) -> &'static str {
    if subscriber.status.is_suppressed() {
        NOT_SUBSCRIBED_PATH
    } else {
        CONFIRMED_PATH
    }
}

/// Redirects with 303. So a reload does not send the form again, and the address contains no token.
fn redirect(path: &'static str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, path))
        .finish()
}

fn unknown(request: &HttpRequest, pages: &Pages) -> Answer {
    let says = Says::Passage(|texts| &texts.unknown);
    refuse(request, pages, ApiError::no_such_token(), says)
}

fn failed(
    request: &HttpRequest,
    pages: &Pages,
    cause: &NewsletterError,
    form: Option<&Form>,
) -> Answer {
    let says = form.map_or(Says::Passage(|texts| &texts.failed), Says::InDoubt);
    refuse(request, pages, ApiError::confirmation_failed(cause), says)
}

/// Refuses a request. Programs get JSON; browsers get a page with the same status and headers.
fn refuse(request: &HttpRequest, pages: &Pages, error: ApiError, says: Says<'_>) -> Answer {
    if prefers_page(request) {
        pages.show(request, says, error.error_response())
    } else {
        Err(error)
    }
}

refusals! {
    no_such_token: NOT_FOUND, "Migration token not found.";
    /// 503 of the confirmation while the group whose automation sends the e-mails is not set.
    links_off: SERVICE_UNAVAILABLE,
        "Moving to the new mailing system is not set up yet. Your subscription has not changed.",
        RETRY_AFTER: RETRY_SWITCHED_OFF;
}

impl ApiError {
    /// 503 after a failed confirmation. It asks people to retry, unless the move is not set up.
    pub fn confirmation_failed(cause: &NewsletterError) -> Self {
        match cause {
            NewsletterError::NotSetUp => return Self::links_off(),
            NewsletterError::Unavailable(_) => tracing::warn!(%cause, "a link got no answer"),
            NewsletterError::Broken(_) => tracing::error!(%cause, "internal error"),
        }
        Self::unavailable(
            "The service is temporarily unavailable. Repeating the request is safe.",
            RETRY_UNAVAILABLE,
        )
    }
}

impl From<NewsletterError> for ApiError {
    fn from(error: NewsletterError) -> Self {
        match error {
            NewsletterError::Unavailable(_) => {
                tracing::warn!(cause = %error, "a command about a subscriber got no answer");
                Self::unavailable(
                    "The service is temporarily unavailable. Whether anything was written is not \
                     known; repeating the request is safe.",
                    RETRY_UNAVAILABLE,
                )
            }
            NewsletterError::NotSetUp => Self::links_off(),
            NewsletterError::Broken(_) => Self::internal(&error),
        }
    }
}
