//! The command of operators that forgets a catalogue.

use kernel::{
    CatalogueName, ClientId, StoreError,
    audit::{Action, Attribution},
};
use time::OffsetDateTime;

use crate::catalogue::Catalogues;

/// The reason why a command about a catalogue was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// The client has no such catalogue.
    #[error("the client has no catalogue of this name")]
    NotFound,
    /// An import or an undo of it is running. The number is the seconds after which to try again, at
    /// least one.
    #[error("an import or an undo of this catalogue is running")]
    Running(u64),
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
