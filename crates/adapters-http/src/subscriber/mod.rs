//! Newsletter subscribers over HTTP. The membership system writes and reads the resource, the
//! e-mail provider calls the webhook, and a person uses the pages to move to the new account.

mod migration;
mod resource;
mod webhook;

use actix_web::{http::Method, web};
use views::subscriber::Subscriber;

pub use self::{migration::Pages, resource::REPORTERS, webhook::Signatures};
#[cfg(fuzzing)]
pub use self::{
    migration::{LinkForm, of_form, of_json, token_of_query},
    webhook::read_delivery,
};
use crate::{
    error::ApiError,
    guard::protected,
    section::{Section, errors, of_answer},
};

pub const PATH: &str = "/api/newsletter/subscribers";

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[of_answer::<Subscriber>],
    errors: ERRORS,
};

errors! {
    "SubscriberNotFound"
        "No person with this address was reported."
        ApiError::no_such_subscriber();
    "BadSignature"
        "There is no signature, it is malformed, or it does not match the body and a configured secret."
        ApiError::bad_signature();
    "unknown_link"
        "No person has this token."
        ApiError::no_such_token();
    "links_off"
        "The service cannot answer at the moment, or the new account is not configured yet."
        ApiError::links_off();
}

fn routes(config: &mut web::ServiceConfig) {
    // The pattern also matches an empty address, which is then refused as invalid.
    let one = protected(&format!("{PATH}/{{email:[^/]*}}"), REPORTERS);
    config
        .service(
            one.get(resource::get)
                .on(Method::PUT, resource::put)
                .on(Method::DELETE, resource::delete),
        )
        .configure(webhook::routes)
        .configure(migration::routes);
}

/// Returns the path for logs, without a subscriber's e-mail address. Compares the decoded path,
/// because `%73ubscribers` also leads to a subscriber.
pub fn loggable<'a>(sent: &'a str, routed: &str) -> &'a str {
    const MASKED: &str = "/api/newsletter/subscribers/…";
    let names_somebody = routed
        .strip_prefix(PATH)
        .is_some_and(|rest| rest.starts_with('/'));
    if names_somebody { MASKED } else { sent }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_person_is_named_in_a_log() {
        let masked = "/api/newsletter/subscribers/…";
        let encoded = "/api/newsletter/%73ubscribers/ada@example.com";
        let decoded = "/api/newsletter/subscribers/ada@example.com";
        for (sent, routed, expect) in [
            (decoded, decoded, masked),
            (encoded, decoded, masked),
            (
                "/api/newsletter/subscribers/",
                "/api/newsletter/subscribers/",
                masked,
            ),
            (
                "/api/newsletter/subscribers/a/b",
                "/api/newsletter/subscribers/a/b",
                masked,
            ),
            (PATH, PATH, PATH),
            (
                "/api/newsletter/subscribersx",
                "/api/newsletter/subscribersx",
                "/api/newsletter/subscribersx",
            ),
            ("/healthz", "/healthz", "/healthz"),
        ] {
            assert_eq!(loggable(sent, routed), expect, "{sent}");
        }
    }
}
