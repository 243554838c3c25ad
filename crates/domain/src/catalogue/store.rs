//! The port to the catalogues.

use std::collections::HashMap;

use async_trait::async_trait;
use kernel::{
    CatalogueName, ClientId, PostingId, SourceIdentifier, Status, StoreError, audit::Entry,
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Catalogue, CatalogueId, PastImport};

/// The most catalogues of a client.
pub const MOST_CATALOGUES: usize = 100;

/// The most imports of a catalogue that are kept.
pub const MOST_IMPORTS: usize = 30;

/// A question for the lease of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueQuery {
    /// The client.
    pub client: ClientId,
    /// The name.
    pub name: CatalogueName,
    /// The id to use if the client has no catalogue of this name yet; `None` makes none.
    pub new_id: Option<CatalogueId>,
    /// The id of the lease's holder, drawn at random for each import, release and undo.
    pub holder: Uuid,
    /// The time.
    pub now: OffsetDateTime,
    /// The end of the lease.
    pub until: OffsetDateTime,
}

/// The answer to a question for the lease of a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leased {
    /// The holder has the lease.
    Held(CatalogueLease),
    /// Another import, or an undo, is running. Its lease ends at this time if it is not renewed.
    Running(OffsetDateTime),
    /// The client has [`MOST_CATALOGUES`] others.
    TooMany,
    /// There is no such catalogue, and the question has no id for a new one.
    Unknown,
}

/// The lease of a catalogue: one import, release or undo of it at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CatalogueLease {
    /// The catalogue.
    pub catalogue: CatalogueId,
    /// The id of the holder.
    pub holder: Uuid,
}

/// An open posting of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPosting {
    /// Its id.
    pub id: PostingId,
    /// Its identifier.
    pub identifier: SourceIdentifier,
}

/// A posting that an import of its catalogue did not name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPosting {
    /// Its id.
    pub id: PostingId,
    /// Its identifier.
    pub identifier: SourceIdentifier,
    /// Its present status.
    pub status: Status,
    /// Whether it is held back, and neither named nor released since.
    pub is_held: bool,
}

/// A posting that an import of its catalogue has expired or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpiredPosting {
    /// Its id.
    pub id: PostingId,
    /// Its identifier; `None` if it was deleted since.
    pub identifier: Option<SourceIdentifier>,
}

/// What became of a posting that an import of its catalogue missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// So many imports in a row have missed it, with the one that holds the lease.
    Open(u8),
    /// The import that holds the lease has expired it.
    Expired,
    /// The import that holds the lease holds it back.
    Held,
    /// It was held back, and the release that holds the lease has expired it.
    Released,
    /// An import has named it since, or the release that holds the lease leaves it as it is.
    Kept,
    /// The undo that holds the lease has reopened it.
    Reopened,
    /// The undo that holds the lease leaves it as it is.
    Left,
    /// The import has changed it, and the undo that holds the lease has restored it.
    Restored,
    /// The import has changed it, and the undo that holds the lease leaves it as it is.
    Unrestored,
}

/// What an undo did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// The postings that it reopened.
    pub reopened: u64,
    /// The postings that it restored.
    pub restored: u64,
    /// Those that it left, because others have changed them or the client may not use them.
    pub left: u64,
}

/// The totals of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Released {
    /// The postings that it expired.
    pub expired: u64,
    /// The postings that it left, because others have changed them or the client may not use them.
    pub left: u64,
}

/// The answer to a deletion of a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// It is deleted.
    Done,
    /// There is no such catalogue.
    Unknown,
    /// An import, a release or an undo is running. Its lease ends then if it is not renewed.
    Running(OffsetDateTime),
}

impl Undone {
    /// One sentence for people.
    pub fn sentence(self) -> String {
        let Self {
            reopened,
            restored,
            left,
        } = self;
        let open = match reopened {
            1 => "1 posting is".to_owned(),
            _ => format!("{reopened} postings are"),
        };
        let restored = match restored {
            0 => String::new(),
            1 => " 1 was restored;".to_owned(),
            _ => format!(" {restored} were restored;"),
        };
        format!("{open} open again;{restored} {}.", left_as_they_are(left))
    }
}

impl Released {
    /// One sentence for people.
    pub fn sentence(self) -> String {
        let Self { expired, left } = self;
        let have = match expired {
            1 => "1 posting has".to_owned(),
            _ => format!("{expired} postings have"),
        };
        format!("{have} expired; {}.", left_as_they_are(left))
    }
}

fn left_as_they_are(left: u64) -> String {
    match left {
        1 => "1 was left as it is".to_owned(),
        _ => format!("{left} were left as they are"),
    }
}

/// The last import of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastImport {
    /// The catalogue.
    pub id: CatalogueId,
    /// The client.
    pub client: ClientId,
    /// The name of the catalogue.
    pub name: CatalogueName,
    /// The import.
    pub import: PastImport,
    /// See [`Catalogue::held`].
    pub held: Option<u64>,
}

impl LastImport {
    /// The number of postings that are held back, by this import or one before it.
    pub fn held_back(&self) -> Option<u64> {
        self.held.or_else(|| self.import.held_back())
    }
}

/// The port to the catalogues.
#[async_trait]
pub trait Catalogues: Send + Sync {
    /// Leases a client's catalogue. If the query has an id, as an import's has, a missing catalogue
    /// is created with it. A lease whose time is over does not count. An import suspends the
    /// postings that are held back until it ends.
    async fn lease(&self, query: &CatalogueQuery) -> Result<Leased, StoreError>;

    /// Moves the end of a lease; `false` if it is not held any more.
    async fn renew(&self, lease: CatalogueLease, until: OffsetDateTime)
    -> Result<bool, StoreError>;

    /// Ends a lease, and records its import as the last one, as the last one that changed postings
    /// if there are [records](crate::store::Store::records) of that, as the last one that
    /// [counts](PastImport::counts_misses) if it does, and as the one that holds postings back if
    /// it does; `false`, and nothing is written, if the lease is not held any more. Postings that
    /// were held back before stay so if the import `keeps_held`: it is not complete, and the
    /// postings that it named are [kept](Missed::Kept).
    async fn finish(
        &self,
        lease: CatalogueLease,
        import: &PastImport,
        keeps_held: bool,
    ) -> Result<bool, StoreError>;

    /// Up to `limit` postings of a catalogue that wait for enrichment or are approved, ascending
    /// by id, that follow `after`.
    async fn open_postings(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<OpenPosting>, StoreError>;

    /// How many imports in a row have missed these postings and left them open ([`Missed::Open`]),
    /// up to the last one that [counts](PastImport::counts_misses); without those that it named.
    async fn misses(
        &self,
        catalogue: CatalogueId,
        postings: &[PostingId],
    ) -> Result<HashMap<PostingId, u8>, StoreError>;

    /// Returns up to `limit` postings after `after`, ascending by id, that the last complete import
    /// did not name, also those that it, or a release, has expired. While an import runs, returns
    /// the postings that were [held](Missed::Held) back before.
    async fn missing(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<MissingPosting>, StoreError>;

    /// Up to `limit` postings after `after`, ascending by id, that were expired
    /// ([`Missed::Expired`]) by the last import that expired or changed any, complete or not, and
    /// that no undo has handled.
    async fn expired_last(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<ExpiredPosting>, StoreError>;

    /// The last import that expired or changed any posting, and up to `limit` postings after
    /// `after`, ascending by id, that it changed and that no undo has handled.
    async fn changed_last(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Option<(Uuid, Vec<ExpiredPosting>)>, StoreError>;

    /// Ends the lease of an undo, and returns what it did with postings of that import, together
    /// with undos of it before that did not come to their end. No import has expired anything then,
    /// and none counts for misses. `None`, and nothing is written, if the lease is not held any
    /// more.
    async fn finish_undo(&self, lease: CatalogueLease) -> Result<Option<Undone>, StoreError>;

    /// Ends the lease of a release, and returns its totals, with those of earlier releases that
    /// were interrupted. Afterwards no posting is held back, and the record of the import says what
    /// expired. `None`, and nothing is written, if the lease is not held any more.
    async fn finish_release(&self, lease: CatalogueLease) -> Result<Option<Released>, StoreError>;

    /// Deletes up to `limit` records of [missed](Missed) postings that no import and no undo will
    /// ask for, and returns their number: of catalogues that are gone, and of imports that are
    /// neither running nor the last one that counts, that expired any, or that is held back.
    async fn forget_missed(&self, limit: usize) -> Result<usize, StoreError>;

    /// Finds a client's catalogue.
    async fn find(
        &self,
        client: ClientId,
        name: &CatalogueName,
        now: OffsetDateTime,
    ) -> Result<Option<Catalogue>, StoreError>;

    /// Finds a catalogue by its id.
    async fn find_by_id(
        &self,
        id: CatalogueId,
        now: OffsetDateTime,
    ) -> Result<Option<Catalogue>, StoreError>;

    /// A client's catalogues, ascending by name: [`MOST_CATALOGUES`] at most.
    async fn list(
        &self,
        client: ClientId,
        now: OffsetDateTime,
    ) -> Result<Vec<Catalogue>, StoreError>;

    /// The last imports of up to `limit` catalogues that had one, oldest catalogues first. Counts
    /// no postings.
    async fn last_imports(&self, limit: usize) -> Result<Vec<LastImport>, StoreError>;

    /// Deletes a catalogue whose lease is free, and writes the entry if it does. Its postings
    /// stay, and belong to none.
    async fn delete(
        &self,
        client: ClientId,
        name: &CatalogueName,
        now: OffsetDateTime,
        entry: Option<&Entry>,
    ) -> Result<Forgotten, StoreError>;
}
