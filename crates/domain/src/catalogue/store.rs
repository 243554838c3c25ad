//! The port to the catalogues.

use async_trait::async_trait;
use kernel::CatalogueName;
use kernel::{ClientId, PostingId, SourceIdentifier, StoreError, audit::Entry};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Catalogue, CatalogueId, PastImport};

/// The most catalogues of a client.
pub const MOST_CATALOGUES: usize = 100;

/// A question for the lease of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueQuery {
    /// The client.
    pub client: ClientId,
    /// The name.
    pub name: CatalogueName,
    /// The id to use if the client has no catalogue of this name yet.
    pub new_id: CatalogueId,
    /// The id of the lease's holder, drawn at random for each import.
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
    /// Another import of the catalogue is running. Its lease ends at this time if it is not
    /// renewed.
    Running(OffsetDateTime),
    /// The client has [`MOST_CATALOGUES`] others.
    TooMany,
}

/// The lease of a catalogue: one import of it at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// The last import of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastImport {
    /// The client.
    pub client: ClientId,
    /// The name of the catalogue.
    pub name: CatalogueName,
    /// The import.
    pub import: PastImport,
}

/// The port to the catalogues. Which postings belong to one is part of the postings
/// ([`Posting::catalogue`](crate::posting::Posting::catalogue)).
#[async_trait]
pub trait Catalogues: Send + Sync {
    /// Leases a client's catalogue, which is made if it is not there. A lease whose time is over
    /// does not count.
    async fn lease(&self, query: &CatalogueQuery) -> Result<Leased, StoreError>;

    /// Moves the end of a lease; `false` if it is not held any more.
    async fn renew(&self, lease: CatalogueLease, until: OffsetDateTime)
    -> Result<bool, StoreError>;

    /// Ends a lease, and records its import as the last one; `false`, and nothing is written, if
    /// the lease is not held any more.
    async fn finish(&self, lease: CatalogueLease, import: &PastImport) -> Result<bool, StoreError>;

    /// Up to `limit` postings of a catalogue that wait for enrichment or are approved, ascending
    /// by id, that follow `after`.
    async fn open_postings(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<OpenPosting>, StoreError>;

    /// Finds a client's catalogue.
    async fn find(
        &self,
        client: ClientId,
        name: &CatalogueName,
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

    /// Deletes a catalogue, and so the lease of an import of it. Its postings stay, and belong to
    /// none. `false` for an unknown one, and then no entry is written.
    async fn delete(
        &self,
        client: ClientId,
        name: &CatalogueName,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError>;
}
