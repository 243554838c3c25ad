//! Imports: many pushes in one request, either loose or as a whole catalogue.
//!
//! `body` unpacks the bytes that arrive, and `lines` splits them. `run` passes the lines on and
//! collects the receipts in a `spool`. The answer begins after the end of the body.

mod body;
mod catalogue;
mod lines;
mod run;
mod spool;

use access::Scope;
use actix_web::{
    http::{Method, StatusCode, header},
    web,
};
use domain::{
    import::{BrokenOff, LineError},
    usecase::{CatalogueError, ImportError},
};
use views::import::{Catalogue, ImportLine, MissingView, NoticeView, Released, Undone};

use self::run::{ImportOptions, run};
use crate::{
    answer::Answer,
    body::Body,
    error::ApiError,
    guard::{clients, importers, protected},
    oauth::Caller,
    section::{Section, errors, of_answer},
    state::State,
};

pub const IMPORTS_PATH: &str = "/api/job-board/imports";
pub const CATALOGUES_PATH: &str = "/api/job-board/catalogues";

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[
        of_answer::<ImportLine>,
        of_answer::<NoticeView>,
        of_answer::<Catalogue>,
        of_answer::<MissingView>,
        of_answer::<Released>,
        of_answer::<Undone>,
    ],
    errors: ERRORS,
};

errors! {
    "CatalogueNotFound"
        "The client has no catalogue of this name."
        ApiError::no_such_catalogue();
    "ImportRunning"
        "Another import or undo of this catalogue is running, or the client has reached its limit of \
         catalogues."
        ImportError::Running(30);
    "UnsupportedImport"
        "The body is not declared as `application/x-ndjson`, or has an unknown encoding."
        ApiError::unsupported_media_type("Content-Type must be application/x-ndjson.");
}

fn routes(config: &mut web::ServiceConfig) {
    let of = |what: &str, scopes| {
        let path = format!("{CATALOGUES_PATH}/{{name:[^/]*}}{what}");
        protected(&path, scopes)
    };
    let (importers, writers) = (importers(Scope::WRITERS), clients(Scope::WRITERS));
    for resource in [
        protected(IMPORTS_PATH, Scope::WRITERS).with(Method::POST, &importers, import),
        protected(CATALOGUES_PATH, Scope::READERS).get(catalogue::list),
        of("/missing", Scope::READERS).get(catalogue::missing),
        of("/release", Scope::WRITERS).on(Method::POST, catalogue::release),
        of("/undo", Scope::WRITERS).on(Method::POST, catalogue::undo),
        of("", Scope::READERS)
            .get(catalogue::show)
            .with(Method::PUT, &importers, catalogue::import)
            .with(Method::DELETE, writers, catalogue::delete),
    ] {
        config.service(resource);
    }
}

async fn import(
    caller: Caller,
    options: ImportOptions,
    body: Body,
    state: web::Data<State>,
) -> Answer {
    run(caller, options, body, &state, None).await
}

impl From<LineError> for ApiError {
    fn from(error: LineError) -> Self {
        match error {
            LineError::TooLong(_) => Self::new(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()),
            LineError::NotJson(_) => Self::bad_request(error.to_string()),
            LineError::Invalid(errors) => Self::invalid(errors),
            LineError::Forbidden(error) => error.into(),
            LineError::Ingest(error) => error.into(),
        }
    }
}

impl From<ImportError> for ApiError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Running(seconds) => Self::new(StatusCode::CONFLICT, error.to_string())
                .with_header(header::RETRY_AFTER, seconds),
            ImportError::TooManyCatalogues(_) => Self::new(StatusCode::CONFLICT, error.to_string()),
            ImportError::Failed(error) => error.into(),
        }
    }
}

impl From<BrokenOff> for ApiError {
    fn from(error: BrokenOff) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
    }
}

impl From<CatalogueError> for ApiError {
    fn from(error: CatalogueError) -> Self {
        match error {
            CatalogueError::NotFound => Self::no_such_catalogue(),
            CatalogueError::Running(seconds) => ImportError::Running(seconds).into(),
            CatalogueError::Store(error) => error.into(),
        }
    }
}
