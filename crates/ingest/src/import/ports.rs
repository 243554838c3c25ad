//! The ports of imports, and the errors that end one.

use std::{sync::Arc, time::Duration};

use domain::{
    catalogue::{CatalogueId, Catalogues},
    posting::Lifetime,
    store::Store,
    usecase::{ImportError, Ingest, IngestError},
};
use kernel::StoreError;
use runtime::{Clock, clock};
use stores::Stores;

/// How long lines, and an import's end, are retried while the store is unavailable.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Clone)]
pub struct ImportPorts {
    pub ingest: Arc<dyn Ingest>,
    pub lifetime: Lifetime,
    /// Its `store` also checks whether a cached line would still change nothing.
    pub catalogues: CataloguePorts,
}

/// The ports for a whole catalogue: the end of its import, and its undo.
#[derive(Clone)]
pub struct CataloguePorts {
    pub catalogues: Arc<dyn Catalogues>,
    pub store: Arc<dyn Store>,
    pub lifetime: Lifetime,
    pub clock: Clock,
}

impl CataloguePorts {
    pub fn of(stores: &Stores, lifetime: Lifetime) -> Self {
        Self {
            catalogues: Arc::clone(&stores.catalogues),
            store: Arc::clone(&stores.store),
            lifetime,
            clock: clock::system(),
        }
    }
}

pub(super) fn new_catalogue_id() -> CatalogueId {
    CatalogueId::new(uuid::Uuid::now_v7())
}

pub(super) fn stopping() -> ImportError {
    IngestError::Unavailable("the service is stopping".to_owned()).into()
}

pub(super) fn failed(error: StoreError) -> ImportError {
    match error {
        StoreError::Broken(why) => IngestError::Broken(why),
        StoreError::Conflict => {
            IngestError::Unavailable("others kept changing the same postings".to_owned())
        }
        StoreError::Locked(why) | StoreError::Unavailable(why) | StoreError::InDoubt(why) => {
            IngestError::Unavailable(why)
        }
    }
    .into()
}
