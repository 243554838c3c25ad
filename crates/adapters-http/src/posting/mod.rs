//! Postings over HTTP: push, read and list.

mod activity;
mod cursor;
mod export;
mod get;
mod json_ld;
mod list;
mod notice;
mod objection;
mod page;
mod paged;
mod payload;
mod prefer;
mod preview;
mod put;
mod versions;

use access::Scope;
use actix_web::{HttpRequest, http::Method, web};
use domain::{
    posting::Rejection,
    usecase::{ModerationError, Refused},
};
use views::{
    posting::{PostingWithHistory, Preview},
    version::VersionPageAnswer,
};

#[cfg(test)]
pub use self::page::tests;

#[cfg(fuzzing)]
pub use self::cursor::{decode as read_cursor, encode as write_cursor};
pub use self::{
    activity::Pushes,
    export::NDJSON,
    list::LIST_PATH,
    payload::describe_fields,
    prefer::Preferences,
    preview::{Previewed, previewed},
    put::PREFERENCE_APPLIED,
};
use crate::{
    error::{ApiError, refusals},
    guard::{clients, nowhere, protected},
    oauth::AuthError,
    section::{Section, errors, of_answer},
};

pub const EXPORT_PATH: &str = "/api/job-board/export";

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[
        of_answer::<PostingWithHistory>,
        of_answer::<Preview>,
        of_answer::<VersionPageAnswer>,
    ],
    errors: ERRORS,
};

errors! {
    "ForbiddenToPush"
        "The token has none of the required scopes; or, without `WWW-Authenticate`, the identifier \
         begins with none of the client's prefixes."
        AuthError::InsufficientScope(Scope::WRITERS.to_vec());
    "PostingNotFound"
        "There is no posting with this identifier."
        Rejection::NotFound;
    "Objected"
        "The client has already objected to the decision."
        ApiError::from(ModerationError::from(Refused::Repeated));
    "NotAcceptable"
        "`Accept` allows only JSON-LD, and the posting is not approved."
        ApiError::not_acceptable();
    "HttpVersionNotSupported"
        "The request used HTTP/1.0, which cannot distinguish a complete answer from a broken one."
        ApiError::needs_http_1_1();
}

fn routes(config: &mut web::ServiceConfig) {
    // An empty identifier is an invalid identifier, not another path.
    let of = |what: &str, scopes| {
        let path = format!("{LIST_PATH}/{{identifier:[^/]*}}{what}");
        protected(&path, scopes)
    };
    let one = of("", Scope::READERS)
        .get(get::show)
        .with(Method::PUT, clients(Scope::WRITERS), put::put)
        .instead(
            "PUT creates and updates a posting, with all fields or only some; \
             {\"expiration\":{}} takes it down.",
        );
    for resource in [
        protected(LIST_PATH, Scope::READERS).get(list::list),
        protected(EXPORT_PATH, Scope::READERS).get(export::export),
        one,
        of("/versions", Scope::READERS).get(versions::versions),
        of("/objection", Scope::WRITERS).on(Method::POST, objection::object),
    ] {
        config.service(resource);
    }
    let others = web::resource(format!("{LIST_PATH}/{{rest:.*}}"));
    config.service(others.to(async |request: HttpRequest| {
        nowhere(&request, ApiError::no_such_posting_path()).await
    }));
}

refusals! {
    no_such_posting_path: NOT_FOUND,
        "There is nothing at this path. A slash in an identifier is written %2F.";
}
