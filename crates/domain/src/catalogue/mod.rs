//! Catalogues: the postings that a client offers under a name.
//!
//! An import of a catalogue says that its lines are all of them. What the catalogue had before and
//! no line names expires, unless so much is missing that the import looks broken ([`Roster`]).

mod roster;
mod store;

pub use kernel::CatalogueId;
use kernel::CatalogueName;
use time::OffsetDateTime;

pub use self::{
    roster::{MaxMissing, Roster},
    store::{
        CatalogueLease, CatalogueQuery, Catalogues, LastImport, Leased, MOST_CATALOGUES,
        OpenPosting,
    },
};
use crate::import::Summary;

/// A catalogue as its client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    /// The id.
    pub id: CatalogueId,
    /// The name, unique among those of its client.
    pub name: CatalogueName,
    /// The number of its open postings: those that wait for enrichment or are approved.
    pub postings: u64,
    /// Whether an import of it is running.
    pub is_running: bool,
    /// The last import that ended, complete or not.
    pub last_import: Option<PastImport>,
}

/// An import of a catalogue that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastImport {
    /// When it began.
    pub started_at: OffsetDateTime,
    /// When it ended.
    pub finished_at: OffsetDateTime,
    /// Its summary.
    pub summary: Summary,
}
