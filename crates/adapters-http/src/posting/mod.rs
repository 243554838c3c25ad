//! Postings over HTTP: push, read and list.

mod activity;
mod cursor;
mod export;
mod get;
mod json_ld;
mod list;
mod notice;
mod payload;
mod prefer;
mod put;
mod view;

#[cfg(test)]
pub use self::view::tests;

use access::Scope;
use actix_web::{
    http::{Method, StatusCode},
    web,
};

#[cfg(fuzzing)]
pub use self::cursor::{decode as read_cursor, encode as write_cursor};
pub use self::{
    activity::Pushes,
    export::NDJSON,
    json_ld::not_acceptable,
    payload::describe_fields,
    prefer::{STRICT, is_strict},
    put::PREFERENCE_APPLIED,
    view::{PostingWithHistory, Status, with_history},
};
use crate::{
    error::ApiError,
    guard::{clients, protected},
};

/// The path of the list.
pub const LIST_PATH: &str = "/api/job-board/job-postings";
/// The path of the export.
pub const EXPORT_PATH: &str = "/api/job-board/export";

/// The scopes that permit pushing.
pub const WRITERS: &[Scope] = Scope::WRITERS;
/// The scopes that permit reading; the one for pushing includes it.
pub const READERS: &[Scope] = Scope::READERS;

/// `GET` of the list and of the export; `PUT` and `GET` of one posting.
pub fn routes(config: &mut web::ServiceConfig) {
    // An empty identifier is a bad identifier, not another path.
    let one = protected(&format!("{LIST_PATH}/{{identifier:[^/]*}}"), READERS);
    config
        .service(protected(LIST_PATH, READERS).get(list::list).build())
        .service(protected(EXPORT_PATH, READERS).get(export::export).build())
        .service(
            one.get(get::show)
                .with(Method::PUT, clients(WRITERS), put::put)
                .instead(
                    "PUT creates and updates a posting, with all fields or only some; \
                     {\"expiration\":{}} takes it down.",
                )
                .build(),
        )
        .service(
            web::resource(format!("{LIST_PATH}/{{rest:.*}}")).to(async || {
                let says =
                    "There is nothing at this path. A slash in an identifier is written %2F.";
                Err::<&str, _>(ApiError::new(StatusCode::NOT_FOUND, says))
            }),
        );
}
