//! The driving port of imports.

use async_trait::async_trait;
use kernel::{CatalogueName, ClientId, Prefixes};

use super::IngestError;
use crate::{
    catalogue::{Guard, Patience},
    import::{Ending, Line, Receipt, Summary},
    posting::Handling,
};

/// What a client asks an import for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportOrder {
    /// The client.
    pub client: ClientId,
    /// To have every line decided, and nothing written.
    pub dry_run: bool,
    /// How unknown fields and wrong values are handled.
    pub handling: Handling,
    /// The catalogue that the lines are, if they are one.
    pub catalogue: Option<CatalogueOrder>,
}

/// The catalogue of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueOrder {
    /// Its name.
    pub name: CatalogueName,
    /// What holds the import back.
    pub guard: Guard,
    /// How often it may miss a posting before that expires.
    pub patience: Patience,
    /// The postings that the client may use. What the catalogue has of others stays as it is.
    pub prefixes: Prefixes,
}

/// The reason why an import did not begin, or ended before its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Another import of the catalogue is running. Retry after so many seconds, at least one.
    #[error("Another import of this catalogue is running.")]
    Running(u64),
    /// The client has too many catalogues.
    #[error("This client has {0} catalogues, which is the most.")]
    TooManyCatalogues(usize),
    /// The service cannot continue: the store was unavailable for too long, or the service stops.
    #[error(transparent)]
    Failed(#[from] IngestError),
}

/// The driving port of imports.
#[async_trait]
pub trait Imports: Send + Sync {
    /// Begins an import. One that is dropped before it is [finished](Import::finish) ends, and
    /// whatever it has taken in by then stands.
    async fn begin(&self, order: ImportOrder) -> Result<Box<dyn Import>, ImportError>;
}

/// A running import. After an error it takes nothing more.
///
/// Receipts come in the order of the lines. Each line is in one receipt exactly, unless the import
/// is dropped.
#[async_trait]
pub trait Import: Send {
    /// Takes lines that follow those before, of a client that may use these identifiers, and waits
    /// until there is room for more. Adds the receipts that are ready.
    async fn take(
        &mut self,
        lines: Vec<Line>,
        prefixes: &Prefixes,
        receipts: &mut Vec<Receipt>,
    ) -> Result<(), ImportError>;

    /// Waits until the lines that were taken have their receipts, and adds these.
    async fn settle(&mut self, receipts: &mut Vec<Receipt>) -> Result<(), ImportError>;

    /// Ends the import after its last line. Of a catalogue whose body is [broken](Ending::Broken)
    /// nothing expires. The receipts of all lines are out.
    async fn finish(self: Box<Self>, ending: Ending) -> (Summary, Result<(), ImportError>);
}
