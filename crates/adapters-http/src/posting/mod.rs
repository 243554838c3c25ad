//! Postings over HTTP: push, read and list.

pub mod activity;
mod cursor;
mod export;
mod get;
mod list;
mod payload;
mod prefer;
mod put;
mod view;

use access::Scope;
use actix_web::{http::Method, web};

#[cfg(fuzzing)]
pub use self::cursor::{decode as read_cursor, encode as write_cursor};
pub use self::{
    export::NDJSON,
    list::{DEFAULT_LIMIT, MAX_LIMIT, ME, TEXTS},
    payload::schemas as payload_schemas,
    prefer::{STRICT, is_strict},
    put::{PREFERENCE_APPLIED, PutAnswer},
    view::{
        PageAnswer, Posting, PostingAnswer, PostingWithHistory, Status, data as posting_data,
        with_history,
    },
};

use crate::{error::ApiError, resource::protected};

/// The path of the list.
pub const LIST_PATH: &str = "/api/job-board/job-postings";
/// The path of the export.
pub const EXPORT_PATH: &str = "/api/job-board/export";

/// The scopes that permit pushing.
pub const WRITERS: &[Scope] = &[Scope::JobPostingsWrite];
/// The scopes that permit reading; the one for pushing includes it.
pub const READERS: &[Scope] = &[Scope::JobPostingsRead, Scope::JobPostingsWrite];

/// `GET` of the list and of the export; `PUT` and `GET` of one posting.
pub fn routes(config: &mut web::ServiceConfig) {
    // An empty identifier is a bad identifier, not another path.
    let one = protected(&format!("{LIST_PATH}/{{identifier:[^/]*}}"), READERS);
    config
        .service(protected(LIST_PATH, READERS).get(list::list).build())
        .service(protected(EXPORT_PATH, READERS).get(export::export).build())
        .service(
            one.get(get::show)
                .with(Method::PUT, WRITERS, put::put)
                .build(),
        )
        .service(
            web::resource(format!("{LIST_PATH}/{{rest:.*}}"))
                .to(async || Err::<&str, _>(ApiError::slash_in_identifier())),
        );
}
