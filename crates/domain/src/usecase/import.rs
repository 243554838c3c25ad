//! The driving port of imports.

use async_trait::async_trait;
use kernel::{CatalogueName, ClientId, Prefixes};

use super::IngestError;
use crate::{
    catalogue::{Guard, Patience},
    import::{Ending, Line, Receipt, Summary},
    posting::Handling,
};

/// A client's order of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportOrder {
    /// The client.
    pub client: ClientId,
    /// Whether lines are only decided, and nothing written.
    pub dry_run: bool,
    /// How unknown fields and wrong values are handled.
    pub handling: Handling,
    /// The catalogue that consists of the lines, if there is one.
    pub catalogue: Option<CatalogueOrder>,
}

/// The catalogue of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueOrder {
    /// Its name.
    pub name: CatalogueName,
    /// The limits that hold the import back.
    pub guard: Guard,
    /// The number of consecutive misses after which a posting expires.
    pub patience: Patience,
    /// The prefixes of the client. Other postings of the catalogue stay unchanged.
    pub prefixes: Prefixes,
}

/// Why an import did not begin, or ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Another import of the catalogue is running. Retry after this many seconds, at least one.
    #[error("Another import of this catalogue is running.")]
    Running(u64),
    /// The client has too many catalogues.
    #[error("This client has {0} catalogues, which is the most.")]
    TooManyCatalogues(usize),
    /// The service cannot continue: the store was unavailable for too long, or the service is
    /// stopping.
    #[error(transparent)]
    Failed(#[from] IngestError),
}

/// The driving port of imports.
#[async_trait]
pub trait Imports: Send + Sync {
    /// Begins an import. Dropping the import before it is [finished](Import::finish) ends it.
    /// Completed work stays.
    async fn begin(&self, order: ImportOrder) -> Result<Box<dyn Import>, ImportError>;
}

/// A running import. After an error it takes no further lines.
///
/// Receipts come in line order, exactly one per line unless the import is dropped.
#[async_trait]
pub trait Import: Send {
    /// Takes the next lines of a client with these prefixes, and waits for room. Adds the receipts
    /// that are ready.
    async fn take(
        &mut self,
        lines: Vec<Line>,
        prefixes: &Prefixes,
        receipts: &mut Vec<Receipt>,
    ) -> Result<(), ImportError>;

    /// Waits for the receipts of all taken lines, and adds them.
    async fn settle(&mut self, receipts: &mut Vec<Receipt>) -> Result<(), ImportError>;

    /// Ends the import after its last line. After a [broken](Ending::Broken) body, nothing expires.
    /// All receipts must have been returned before.
    async fn finish(self: Box<Self>, ending: Ending) -> (Summary, Result<(), ImportError>);
}
