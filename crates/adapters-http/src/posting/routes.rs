//! The routes of postings.

use access::Scope;
use actix_web::{
    http::{Method, StatusCode},
    web,
};

use super::{EXPORT_PATH, LIST_PATH, export, get, list, put};
use crate::{
    error::ApiError,
    guard::{clients, protected},
};

/// `GET` of the list and of the export; `PUT` and `GET` of one posting.
pub fn routes(config: &mut web::ServiceConfig) {
    // An empty identifier is a bad identifier, not another path.
    let one = protected(&format!("{LIST_PATH}/{{identifier:[^/]*}}"), Scope::READERS);
    config
        .service(protected(LIST_PATH, Scope::READERS).get(list::list).build())
        .service(
            protected(EXPORT_PATH, Scope::READERS)
                .get(export::export)
                .build(),
        )
        .service(
            one.get(get::show)
                .with(Method::PUT, clients(Scope::WRITERS), put::put)
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
