//! A client's catalogues.

use actix_web::{HttpResponse, http::StatusCode, web};
use domain::{catalogue::MaxMissing, usecase::CatalogueOrder};
use kernel::{CatalogueName, validation::FieldErrors};
use percent_encoding::percent_decode_str;
use time::OffsetDateTime;

use super::{
    run::{ImportOptions, run},
    view::{CatalogueAnswer, CataloguesAnswer},
};
use crate::{
    answer::{self, no_store},
    body::Body,
    error::ApiError,
    oauth::Caller,
    query::{Options, Parameters, Query, integer},
    resource::Segment,
    state::State,
};

/// The field name under which a bad name is reported.
const NAME: &str = "name";

/// What an import of a catalogue may say beside what every import may.
pub(super) struct CatalogueOptions {
    max_missing: MaxMissing,
}

impl Options for CatalogueOptions {
    fn take(parameters: &mut Parameters<'_>) -> Self {
        let max_missing = parameters.take("max_missing", percent);
        Self {
            max_missing: max_missing.unwrap_or_default(),
        }
    }
}

pub(super) async fn import(
    caller: Caller,
    options: ImportOptions<CatalogueOptions>,
    segment: Segment,
    body: Body,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let catalogue = CatalogueOrder {
        name: name(&segment)?,
        max_missing: options.more.max_missing,
        prefixes: caller.prefixes().clone(),
    };
    run(caller, options, body, &state, Some(catalogue)).await
}

pub(super) async fn list(
    caller: Caller,
    _: Query<()>,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let all = state.ports.catalogues.list(caller.id(), now()).await?;
    answer::json(StatusCode::OK, &CataloguesAnswer::new(&all)).map(no_store)
}

pub(super) async fn show(
    caller: Caller,
    _: Query<()>,
    segment: Segment,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let (catalogues, name) = (&state.ports.catalogues, name(&segment)?);
    let found = catalogues.find(caller.id(), &name, now()).await?;
    let found = found.ok_or_else(ApiError::no_such_catalogue)?;
    answer::json(StatusCode::OK, &CatalogueAnswer::new(&found)).map(no_store)
}

pub(super) async fn delete(
    caller: Caller,
    _: Query<()>,
    segment: Segment,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let (catalogues, name) = (&state.ports.catalogues, name(&segment)?);
    if catalogues.delete(caller.id(), &name, None).await? {
        Ok(HttpResponse::new(StatusCode::NO_CONTENT))
    } else {
        Err(ApiError::no_such_catalogue())
    }
}

/// The name of the catalogue in the path.
fn name(segment: &Segment) -> Result<CatalogueName, ApiError> {
    let text = percent_decode_str(segment.read()?).decode_utf8_lossy();
    CatalogueName::new(&text)
        .map_err(|error| ApiError::invalid(FieldErrors::one(NAME, error.to_string())))
}

fn percent(text: &str) -> Result<MaxMissing, String> {
    let percent = integer(text, 0, 100)?;
    let percent = u8::try_from(percent).ok().and_then(MaxMissing::new);
    percent.ok_or_else(|| "must be an integer between 0 and 100".to_owned())
}

fn now() -> OffsetDateTime {
    kernel::microseconds(OffsetDateTime::now_utc())
}
