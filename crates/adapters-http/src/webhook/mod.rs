mod manage;

use access::Scope;
use actix_web::{
    http::{Method, StatusCode},
    web,
};
use views::webhook::{Delivery, Endpoint, EndpointWithSecret, TestOutcome};
use webhooks::WebhookError;

pub use self::manage::PATH;
use crate::{
    error::ApiError,
    guard::protected,
    section::{Section, errors, of_answer},
};

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[
        of_answer::<Endpoint>,
        of_answer::<EndpointWithSecret>,
        of_answer::<TestOutcome>,
        of_answer::<Delivery>,
    ],
    errors: ERRORS,
};

errors! {
    "WebhookNotFound"
        "There is no such webhook, or it is another client's."
        WebhookError::NotFound;
    "TooManyWebhooks"
        "The client has reached its limit of webhooks."
        WebhookError::TooMany;
    "WebhookEventNotFound"
        "There is no such webhook, or it is another client's; or there is no such event, it is no longer \
         kept, or the client may not see it."
        WebhookError::EventNotFound;
    "TooManyWaiting"
        "Events of too many postings and companies wait for this webhook."
        WebhookError::TooManyWaiting;
}

fn routes(config: &mut web::ServiceConfig) {
    let of = |what: &str| protected(&format!("{PATH}/{{id}}{what}"), Scope::MANAGERS);
    let all = protected(PATH, Scope::MANAGERS)
        .get(manage::list)
        .on(Method::POST, manage::create);
    let one = of("")
        .get(manage::show)
        .on(Method::PATCH, manage::update)
        .on(Method::DELETE, manage::delete);
    for resource in [
        all,
        one,
        of("/rotate-secret").on(Method::POST, manage::rotate),
        of("/test").on(Method::POST, manage::test),
        of("/replay").on(Method::POST, manage::replay),
        of("/resend").on(Method::POST, manage::resend),
        of("/deliveries").get(manage::deliveries),
    ] {
        config.service(resource);
    }
}

impl From<WebhookError> for ApiError {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::NotFound | WebhookError::EventNotFound => {
                Self::new(StatusCode::NOT_FOUND, error.to_string())
            }
            WebhookError::Invalid(errors) => Self::invalid(errors),
            WebhookError::TooMany | WebhookError::TooManyWaiting => {
                Self::new(StatusCode::CONFLICT, error.to_string())
            }
            WebhookError::Store(error) => error.into(),
        }
    }
}
