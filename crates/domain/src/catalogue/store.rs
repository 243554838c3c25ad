//! The port to the catalogues.

use std::collections::HashMap;

use async_trait::async_trait;
use kernel::{
    CatalogueName, ClientId, PostingId, SourceIdentifier, Status, StoreError, audit::Entry,
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Catalogue, CatalogueId, PastImport};

/// The largest number of catalogues of a client.
pub const MOST_CATALOGUES: usize = 100;

/// The number of imports that are kept for a catalogue.
pub const MOST_IMPORTS: usize = 30;

/// A request for the lease of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueQuery {
    /// The client.
    pub client: ClientId,
    /// The name.
    pub name: CatalogueName,
    /// The id for a new catalogue if the name is unused. `None` in a release or an undo, which
    /// create no catalogue.
    pub new_id: Option<CatalogueId>,
    /// The holder's id, random for each import, release and undo.
    pub holder: Uuid,
    /// The time.
    pub now: OffsetDateTime,
    /// The end of the lease.
    pub until: OffsetDateTime,
}

/// The answer to a request for a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leased {
    /// The holder has the lease.
    Held(CatalogueLease),
    /// Another import, release or undo is running. Its lease ends at this time unless renewed.
    Running(OffsetDateTime),
    /// The client already has [`MOST_CATALOGUES`].
    TooMany,
    /// The catalogue does not exist, and the request has no id for a new one.
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
    /// Whether it is held back: no import has named it since, and no release has expired it.
    pub is_held: bool,
}

/// A posting that an import of its catalogue has expired or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpiredPosting {
    /// Its id.
    pub id: PostingId,
    /// Its identifier; `None` if the posting was deleted since.
    pub identifier: Option<SourceIdentifier>,
}

/// The state of a posting that an import of its catalogue missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// Open, although this many consecutive imports have missed it, including the lease holder's.
    Open(u8),
    /// Expired by the lease holder's import.
    Expired,
    /// Held back by the lease holder's import.
    Held,
    /// Held back earlier, and expired by the lease holder's release.
    Released,
    /// Held back earlier, but then named by an import, or left unchanged by the lease holder's
    /// release.
    Kept,
    /// Reopened by the lease holder's undo.
    Reopened,
    /// Left unchanged by the lease holder's undo.
    Left,
    /// Changed by the import, and restored by the lease holder's undo.
    Restored,
    /// Changed by the import, and left unchanged by the lease holder's undo, because something else
    /// changed the posting later.
    Unrestored,
}

/// The totals of an undo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// The number of postings that it reopened.
    pub reopened: u64,
    /// The number of postings that it restored.
    pub restored: u64,
    /// The number of postings that it left unchanged, because something else changed them or the
    /// client may not use them.
    pub left: u64,
}

/// The totals of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Released {
    /// The number of postings that it expired.
    pub expired: u64,
    /// The number of postings that it left: named later, not open, or forbidden to the client.
    pub left: u64,
}

/// The answer to a deletion of a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// It is deleted.
    Done,
    /// There is no such catalogue.
    Unknown,
    /// An import, release or undo is running. Its lease ends at this time unless renewed.
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
    /// The number of postings that this import or an earlier one held back.
    pub fn held_back(&self) -> Option<u64> {
        self.held.or_else(|| self.import.held_back())
    }
}

/// The port to the catalogues.
#[async_trait]
pub trait Catalogues: Send + Sync {
    /// Leases a client's catalogue, unless another lease of the catalogue runs. Creates a missing
    /// catalogue if the query has an id. If an import never ends, the postings that were held back
    /// before it are no longer held back. If the previous holder changed postings but did not end
    /// its lease, its import becomes the last one that changed postings.
    async fn lease(&self, query: &CatalogueQuery) -> Result<Leased, StoreError>;

    /// Extends a lease; `false` if it is lost.
    async fn renew(&self, lease: CatalogueLease, until: OffsetDateTime)
    -> Result<bool, StoreError>;

    /// Ends the lease of an import and records the import. Returns `false` and writes nothing if
    /// the lease is lost. The import becomes
    ///
    /// - the last import;
    /// - the last import that changed postings, if there are
    ///   [records](crate::store::Reads::records) of its changes;
    /// - the last import whose misses count, if its misses [count](PastImport::counts_misses);
    /// - the import that holds postings back, if it is [held](PastImport::is_held).
    ///
    /// If the import is not held, `keeps_held` decides whether earlier postings remain held back.
    /// An import that ended early sets `keeps_held`, after it has recorded its named postings as
    /// [kept](Missed::Kept).
    async fn finish(
        &self,
        lease: CatalogueLease,
        import: &PastImport,
        keeps_held: bool,
    ) -> Result<bool, StoreError>;

    /// Up to `limit` waiting or approved postings of a catalogue after `after`, ascending by id.
    async fn open_postings(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<OpenPosting>, StoreError>;

    /// The consecutive misses of these postings up to the last import whose misses
    /// [count](PastImport::counts_misses). Includes only postings that this import missed and left
    /// open ([`Missed::Open`]).
    async fn misses(
        &self,
        catalogue: CatalogueId,
        postings: &[PostingId],
    ) -> Result<HashMap<PostingId, u8>, StoreError>;

    /// Up to `limit` postings after `after`, ascending by id, that an import did not name. Includes
    /// postings that the import or its release expired. The import is the one that holds postings
    /// back, or did so before a running import began; otherwise the last complete one.
    async fn missing(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<MissingPosting>, StoreError>;

    /// Up to `limit` postings after `after`, ascending by id, that an import or its release expired
    /// ([`Missed::Expired`]). The import is the last one that expired or changed postings, even if
    /// incomplete. Postings that an undo has handled are omitted.
    async fn expired_last(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<ExpiredPosting>, StoreError>;

    /// The last import that expired or changed postings, and up to `limit` of its changed postings
    /// after `after`, ascending by id. Postings that an undo has handled are omitted.
    async fn changed_last(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Option<(Uuid, Vec<ExpiredPosting>)>, StoreError>;

    /// Ends the lease of an undo, and returns its totals, including those of interrupted undos of
    /// the same import. Afterwards there is nothing to undo, and misses are counted from 0. If the
    /// lease is lost, writes nothing and returns `None`.
    async fn finish_undo(&self, lease: CatalogueLease) -> Result<Option<Undone>, StoreError>;

    /// Ends the lease of a release, and returns its totals, including those of interrupted
    /// releases. Afterwards no posting is held back, and the import's summary has the number of
    /// expired postings. If the lease is lost, writes nothing and returns `None`.
    async fn finish_release(&self, lease: CatalogueLease) -> Result<Option<Released>, StoreError>;

    /// Deletes up to `limit` records of [missed](Missed) postings, and returns their number. For
    /// each catalogue, keeps the records of these imports: the running import, the last one whose
    /// misses count, the last one that expired or changed postings, and the one that holds postings
    /// back.
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

    /// A client's catalogues, ascending by name: at most [`MOST_CATALOGUES`].
    async fn list(
        &self,
        client: ClientId,
        now: OffsetDateTime,
    ) -> Result<Vec<Catalogue>, StoreError>;

    /// The last imports of up to `limit` catalogues, ascending by catalogue id. Counts no postings.
    async fn last_imports(&self, limit: usize) -> Result<Vec<LastImport>, StoreError>;

    /// Deletes a catalogue unless a lease of it runs, and writes the entry in the same commit. The
    /// catalogue's postings stay, and keep its id.
    async fn delete(
        &self,
        client: ClientId,
        name: &CatalogueName,
        now: OffsetDateTime,
        entry: Option<&Entry>,
    ) -> Result<Forgotten, StoreError>;
}
