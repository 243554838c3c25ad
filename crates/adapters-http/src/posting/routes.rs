//! The routes of postings.

use actix_web::{
    http::{Method, StatusCode},
    web,
};

use super::{EXPORT_PATH, LIST_PATH, READERS, WRITERS, export, get, list, put};
use crate::{
    error::ApiError,
    guard::{clients, protected},
};

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
            web::resource(format!("{LIST_PATH}/{{rest:.*}}"))
                .to(async || Err::<&str, _>(ApiError::slash_in_identifier())),
        );
}

impl ApiError {
    /// 404 for an identifier with an unescaped slash, below the list of postings.
    pub fn slash_in_identifier() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "There is nothing at this path. A slash in an identifier is written %2F.",
        )
    }
}
