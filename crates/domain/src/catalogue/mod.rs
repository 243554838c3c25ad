//! Catalogues: the postings that a client offers under a name.
//!
//! The lines of an import are the whole catalogue. An import misses an earlier posting that no line
//! names. After enough consecutive misses the posting expires ([`Patience`]). If so many postings
//! are missing that the import looks broken, nothing expires, and the missing postings are held
//! back ([`Roster`]). A [release] expires held-back postings. An [undo] reverses the last import
//! that expired or changed postings: it reopens and restores them.
//!
//! [release]: crate::usecase::CatalogueCorrections::release
//! [undo]: crate::usecase::CatalogueCorrections::undo

mod patience;
mod roster;
mod store;

pub use kernel::CatalogueId;
use kernel::{CatalogueName, ClientId};
use time::OffsetDateTime;

pub use self::{
    patience::Patience,
    roster::{Guard, MaxMissing, PostingDigest, Roster},
    store::{
        CatalogueLease, CatalogueQuery, Catalogues, ExpiredPosting, Forgotten, LastImport, Leased,
        MOST_CATALOGUES, MOST_IMPORTS, Missed, MissingPosting, OpenPosting, Released, Undone,
    },
};
use crate::import::Summary;

/// A catalogue as its client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    /// The id.
    pub id: CatalogueId,
    /// The client.
    pub client: ClientId,
    /// The name, unique among those of its client.
    pub name: CatalogueName,
    /// The number of its open postings: postings that wait for enrichment or are approved.
    pub postings: u64,
    /// Whether an import, a release or an undo of it is running.
    pub is_running: bool,
    /// The last imports that ended, complete or not: at most [`MOST_IMPORTS`], newest first.
    pub imports: Vec<PastImport>,
    /// The number of postings that the last complete import held back, until they are released.
    pub held: Option<u64>,
    /// Whether an import expired or changed postings, and no complete undo has followed.
    pub can_undo: bool,
}

impl Catalogue {
    /// The last import that ended.
    pub fn last_import(&self) -> Option<&PastImport> {
        self.imports.first()
    }

    /// The import that an undo would reverse.
    pub fn undoable(&self) -> Option<&PastImport> {
        let mut imports = self.imports.iter().filter(|_| self.can_undo);
        imports.find(|past| past.has_expired() || past.has_changed())
    }
}

/// An ended import of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastImport {
    /// When it began.
    pub started_at: OffsetDateTime,
    /// When it ended.
    pub finished_at: OffsetDateTime,
    /// Its summary. Stores do not keep the [first](crate::import::Missing::first) missing postings.
    pub summary: Summary,
}

impl PastImport {
    /// Whether its misses count: it is complete, and not held back.
    pub fn counts_misses(&self) -> bool {
        let missing = self.summary.missing.as_ref();
        self.summary.complete && missing.is_some_and(|missing| missing.held.is_none())
    }

    /// Whether it or its release expired missing postings.
    fn has_expired(&self) -> bool {
        let missing = self.summary.missing.as_ref();
        missing.is_some_and(|missing| missing.expired > 0)
    }

    fn has_changed(&self) -> bool {
        let counts = &self.summary.counts;
        counts.updated + counts.reopened + counts.expired > 0
    }

    /// Whether it is complete and held back, so that a release is possible.
    pub fn is_held(&self) -> bool {
        self.summary.complete && self.held_back().is_some()
    }

    /// The number of postings that it held back.
    pub fn held_back(&self) -> Option<u64> {
        let held = self.summary.missing.as_ref();
        let held = held.filter(|missing| missing.held.is_some());
        held.map(|missing| missing.count)
    }
}
