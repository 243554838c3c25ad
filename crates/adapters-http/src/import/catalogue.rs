use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use domain::{
    catalogue::MissingPosting,
    usecase::{CatalogueOrder, CorrectionOrder, forget_catalogue},
};
use fields::validation::FieldErrors;
use kernel::{CatalogueName, PostingId};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use uuid::Uuid;
use views::import::{Catalogue, MissingView, Released, Undone};

use super::run::{ImportOptions, NAME, run};
use crate::{
    answer::{self, Answer, no_store},
    body::Body,
    error::{ApiError, refusals},
    oauth::Caller,
    query::{Parameters, Query, integer},
    resource::Segment,
    state::{State, now},
};

pub(super) async fn import(
    caller: Caller,
    options: ImportOptions,
    segment: Segment,
    body: Body,
    state: web::Data<State>,
) -> Answer {
    let catalogue = CatalogueOrder {
        name: name(&segment)?,
        guard: options.guard,
        patience: options.patience,
        prefixes: caller.prefixes().clone(),
    };
    run(caller, options, body, &state, Some(catalogue)).await
}

pub(super) async fn list(caller: Caller, _: Query<()>, state: web::Data<State>) -> Answer {
    let all = state
        .ports
        .stores
        .catalogues
        .list(caller.id(), now())
        .await?;
    let shown: Vec<_> = all.iter().map(Catalogue::new).collect();
    answer::data(shown).map(no_store)
}

pub(super) async fn show(
    caller: Caller,
    _: Query<()>,
    segment: Segment,
    state: web::Data<State>,
) -> Answer {
    let (catalogues, name) = (&state.ports.stores.catalogues, name(&segment)?);
    let found = catalogues.find(caller.id(), &name, now()).await?;
    let found = found.ok_or_else(ApiError::no_such_catalogue)?;
    answer::data(Catalogue::new(&found)).map(no_store)
}

pub(super) async fn delete(
    caller: Caller,
    _: Query<()>,
    segment: Segment,
    state: web::Data<State>,
) -> Answer {
    let (catalogues, name) = (&state.ports.stores.catalogues, name(&segment)?);
    forget_catalogue(&**catalogues, caller.id(), &name, None, now()).await?;
    Ok(HttpResponse::NoContent().finish())
}

const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1_000;

#[derive(Serialize)]
struct MissingPage<'a> {
    data: Vec<MissingView<'a>>,
    next_cursor: Option<Uuid>,
}

pub(super) async fn missing(
    caller: Caller,
    request: HttpRequest,
    segment: Segment<1>,
    state: web::Data<State>,
) -> Answer {
    let mut parameters = Parameters::of(request.query_string());
    let after = parameters.take("cursor", |text| {
        let cursor = text.parse::<PostingId>();
        cursor.map_err(|_| "must be a next_cursor of an earlier answer".to_owned())
    });
    let limit = parameters.take("limit", |text| integer(text, 1, MAX_LIMIT));
    let (after, limit) = parameters
        .finish((after, limit.unwrap_or(DEFAULT_LIMIT)))
        .map_err(ApiError::invalid)?;
    let (catalogues, name) = (&state.ports.stores.catalogues, name(&segment)?);
    let found = catalogues.find(caller.id(), &name, now()).await?;
    let found = found.ok_or_else(ApiError::no_such_catalogue)?;
    let missing = catalogues.missing(found.id, after, limit).await?;
    let last = missing.last().filter(|_| missing.len() == limit);
    let next_cursor = last.map(|posting| posting.id.uuid());
    let permitted = |posting: &&MissingPosting| caller.prefixes().permit(&posting.identifier);
    let data = missing.iter().filter(permitted).map(MissingView::new);
    let page = MissingPage {
        data: data.collect(),
        next_cursor,
    };
    answer::json(StatusCode::OK, &page).map(no_store)
}

pub(super) async fn release(
    caller: Caller,
    _: Query<()>,
    segment: Segment<1>,
    state: web::Data<State>,
) -> Answer {
    let order = correction(&caller, &segment)?;
    let released = state.ports.corrections.release(order).await?;
    answer::data(Released::new(released)).map(no_store)
}

pub(super) async fn undo(
    caller: Caller,
    _: Query<()>,
    segment: Segment<1>,
    state: web::Data<State>,
) -> Answer {
    let order = correction(&caller, &segment)?;
    let undone = state.ports.corrections.undo(order).await?;
    answer::data(Undone::new(undone)).map(no_store)
}

fn correction(caller: &Caller, segment: &Segment<1>) -> Result<CorrectionOrder, ApiError> {
    Ok(CorrectionOrder {
        client: caller.id(),
        name: name(segment)?,
        prefixes: caller.prefixes().clone(),
        by: None,
    })
}

fn name<const BEHIND: usize>(segment: &Segment<BEHIND>) -> Result<CatalogueName, ApiError> {
    let text = percent_decode_str(segment.read()?).decode_utf8_lossy();
    CatalogueName::new(&text)
        .map_err(|error| ApiError::invalid(FieldErrors::one(NAME, error.to_string())))
}

refusals! {
    no_such_catalogue: NOT_FOUND, "Catalogue not found.";
}
