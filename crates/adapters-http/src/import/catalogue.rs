//! A client's catalogues.

use actix_web::{HttpResponse, web};
use domain::usecase::{CatalogueOrder, UndoOrder};
use kernel::{CatalogueName, validation::FieldErrors};
use percent_encoding::percent_decode_str;

use super::{
    run::{ImportOptions, NAME, run},
    view::{Catalogue, Undone},
};
use crate::{
    answer::{self, Answer, no_store},
    body::Body,
    error::{ApiError, refusals},
    oauth::Caller,
    query::Query,
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
    let all = state.ports.catalogues.list(caller.id(), now()).await?;
    let shown: Vec<_> = all.iter().map(Catalogue::new).collect();
    answer::data(shown).map(no_store)
}

pub(super) async fn show(
    caller: Caller,
    _: Query<()>,
    segment: Segment,
    state: web::Data<State>,
) -> Answer {
    let (catalogues, name) = (&state.ports.catalogues, name(&segment)?);
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
    let (catalogues, name) = (&state.ports.catalogues, name(&segment)?);
    if catalogues.delete(caller.id(), &name, None).await? {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(ApiError::no_such_catalogue())
    }
}

pub(super) async fn undo(
    caller: Caller,
    _: Query<()>,
    segment: Segment<1>,
    state: web::Data<State>,
) -> Answer {
    let order = UndoOrder {
        client: caller.id(),
        name: name(&segment)?,
        prefixes: caller.prefixes().clone(),
        by: None,
    };
    let undone = state.ports.undo.undo(order).await?;
    answer::data(Undone::new(undone)).map(no_store)
}

/// The name of the catalogue in the path.
fn name<const BEHIND: usize>(segment: &Segment<BEHIND>) -> Result<CatalogueName, ApiError> {
    let text = percent_decode_str(segment.read()?).decode_utf8_lossy();
    CatalogueName::new(&text)
        .map_err(|error| ApiError::invalid(FieldErrors::one(NAME, error.to_string())))
}

refusals! {
    /// 404: the client has no catalogue of this name.
    no_such_catalogue: NOT_FOUND, "Catalogue not found.";
}
