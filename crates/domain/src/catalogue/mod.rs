//! Catalogues: the postings that a client offers under a name.
//!
//! An import of a catalogue says that its lines are all of them. What the catalogue had before and
//! no line names expires once it was missing for long enough ([`Patience`]), unless so much is
//! missing that the import looks broken ([`Roster`]). An [undo](crate::usecase::UndoCatalogue)
//! brings back what the last import that expired anything had expired.

mod patience;
mod roster;
mod store;

pub use kernel::CatalogueId;
use kernel::CatalogueName;
use time::OffsetDateTime;

pub use self::{
    patience::Patience,
    roster::{Guard, HeldBecause, MaxMissing, PostingDigest, Roster},
    store::{
        CatalogueLease, CatalogueQuery, Catalogues, ExpiredPosting, LastImport, Leased,
        MOST_CATALOGUES, Missed, OpenPosting, Undone,
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
    /// Whether an import has expired postings, and no undo has come to its end since.
    pub can_undo: bool,
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

impl PastImport {
    /// Whether it counts what it misses: it is complete, and not held back.
    pub fn counts_misses(&self) -> bool {
        let missing = self.summary.missing;
        self.summary.complete && missing.is_some_and(|missing| missing.held.is_none())
    }

    /// The number of postings that it held back.
    pub fn held_back(&self) -> Option<u64> {
        let held = self
            .summary
            .missing
            .filter(|missing| missing.held.is_some());
        held.map(|missing| missing.count)
    }
}
