//! The command of operators about catalogues.

use kernel::{
    CatalogueName, ClientId, StoreError,
    audit::{Action, Attribution},
};
use time::OffsetDateTime;

use crate::catalogue::Catalogues;

/// The reason why a catalogue was not forgotten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// The client has no such catalogue.
    #[error("the client has no catalogue of this name")]
    NotFound,
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Deletes a client's catalogue, and so ends an import of it. Its postings stay.
pub async fn forget_catalogue(
    catalogues: &dyn Catalogues,
    client: ClientId,
    name: &CatalogueName,
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<(), CatalogueError> {
    let entry = by.entry(Action::CATALOGUES_FORGET, now).about(client);
    let entry = entry.with("name", name.as_str());
    let is_deleted = catalogues.delete(client, name, Some(&entry)).await?;
    is_deleted.then_some(()).ok_or(CatalogueError::NotFound)
}
