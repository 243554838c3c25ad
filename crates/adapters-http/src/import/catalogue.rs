//! A client's catalogues.

use actix_web::{
    HttpRequest, HttpResponse,
    dev::Payload,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, HeaderValue},
    },
};
use domain::{catalogue::MaxMissing, usecase::CatalogueOrder};
use kernel::{CatalogueName, validation::FieldErrors};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use time::OffsetDateTime;

use super::{
    run::{self, Wishes},
    view::{CatalogueAnswer, CataloguesAnswer},
};
use crate::{
    answer, api,
    error::ApiError,
    posting::{READERS, WRITERS},
    query::{integer, no_parameters},
    state::State,
};

/// The field name under which a bad name is reported.
const NAME: &str = "name";

pub(super) async fn import(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    let caller = api::authorize_import(request, state, WRITERS).await?;
    let (wishes, max_missing) = Wishes::of(request, state.import_limit, |parameters| {
        parameters.take("max_missing", percent)
    })?;
    let catalogue = CatalogueOrder {
        name: name(request)?,
        max_missing: max_missing.unwrap_or_default(),
        prefixes: caller.prefixes().clone(),
    };
    run::run(request, payload, state, caller, wishes, Some(catalogue)).await
}

pub(super) async fn list(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let caller = api::authorize(request, state, READERS).await?;
    no_parameters(request)?;
    let catalogues = &state.ports.catalogues;
    let all = catalogues.list(caller.id(), now()).await?;
    shown(&CataloguesAnswer::new(&all))
}

pub(super) async fn show(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let caller = api::authorize(request, state, READERS).await?;
    no_parameters(request)?;
    let catalogues = &state.ports.catalogues;
    let found = catalogues.find(caller.id(), &name(request)?, now()).await?;
    let found = found.ok_or_else(ApiError::no_such_catalogue)?;
    shown(&CatalogueAnswer::new(&found))
}

pub(super) async fn delete(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let caller = api::authorize(request, state, WRITERS).await?;
    no_parameters(request)?;
    let catalogues = &state.ports.catalogues;
    if catalogues
        .delete(caller.id(), &name(request)?, None)
        .await?
    {
        Ok(HttpResponse::new(StatusCode::NO_CONTENT))
    } else {
        Err(ApiError::no_such_catalogue())
    }
}

fn shown(body: &impl Serialize) -> Result<HttpResponse, ApiError> {
    let mut response = answer::json(StatusCode::OK, body)?;
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().insert(CACHE_CONTROL, no_store);
    Ok(response)
}

/// The name of the catalogue in the path.
fn name(request: &HttpRequest) -> Result<CatalogueName, ApiError> {
    let segment = api::last_segment(request)?;
    let text = percent_decode_str(segment).decode_utf8_lossy();
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
