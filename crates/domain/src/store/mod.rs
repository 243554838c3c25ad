//! The ports of the state: load what a batch names, commit decisions, read postings.

mod list;
mod locks;
mod retention;
mod rows;
mod search;

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use kernel::{ClientId, CompanyId, PostingId, Prefixes, SourceIdentifier, Version};
pub use kernel::{
    StoreError,
    health::{Health, ReplicaPosition, StoreClock},
};
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::{
    list::{ListEntry, ListOrder, ListQuery, PAGE_BYTES, Position, PostingPage, Texts},
    locks::{LockedRows, RowLocks},
    retention::{Erasure, Purge, Retention},
    rows::Rows,
    search::{Search, Step},
};
pub use crate::decision::{HISTORY_SHOWN, PostingWrite, Snapshot, WriteSet};
#[cfg(doc)]
use crate::posting::Rewind;
use crate::posting::{
    AsOf, PostingVersion, PostingView, RepeatAnswer,
    duplicate::{Apart, Candidate, Fingerprint, Number},
};

/// The port to the state.
#[async_trait]
pub trait Store: Send + Sync {
    /// The named postings with their companies, and the named companies. Descriptions come
    /// without their texts, which no rule reads.
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError>;

    /// The same by the postings' own ids, with the texts of their descriptions and the former names
    /// of their companies.
    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError>;

    /// The answers to commands that change nothing of the named postings. A store need not load
    /// whole postings for them.
    async fn repeat_answers(
        &self,
        identifiers: &[SourceIdentifier],
    ) -> Result<HashMap<SourceIdentifier, RepeatAnswer>, StoreError> {
        Ok(self.load(identifiers, &[]).await?.repeat_answers())
    }

    /// Writes everything or nothing.
    ///
    /// Companies have no version, so another commit may have changed one in the same way. Then it
    /// stays as it is, and the events of `writes` about it are left out. A company keeps the names
    /// that the commit replaces, the stored one too: [`CompanyWrite::former_names`] is the rule.
    ///
    /// The history of a posting loses its oldest entries where [`PostingWrite::trims_history`].
    /// What a write has [replaced](PostingWrite::replaced) is recorded, with the description and
    /// the texts as they were.
    ///
    /// [`StoreError::Conflict`] if a posting's version is not the expected one, its identifier was
    /// taken meanwhile, a company has another owner than its write requires, a posting does not
    /// stand as it has to, or the lease of a finished task or of the import was lost.
    /// [`StoreError::Locked`] if another transaction holds a row's lock for longer than a short
    /// time; a store with a single writer never returns it.
    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError>;

    /// The postings, open or not, that share a band with one of these fingerprints: of each band
    /// the oldest [`CANDIDATES`](crate::posting::duplicate::CANDIDATES) by [age]. And the named
    /// postings, if they have a fingerprint. Each comes once, by id. None by default: a store that
    /// finds no duplicates marks none.
    ///
    /// [age]: crate::posting::duplicate::Candidate::age
    async fn candidates(
        &self,
        _fingerprints: &[Fingerprint],
        _named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        Ok(Vec::new())
    }

    /// The postings with a fingerprint that have one of these numbers: of each the oldest
    /// [`CANDIDATES`](crate::posting::duplicate::CANDIDATES). None by default.
    async fn numbered(&self, _numbers: &[Number]) -> Result<Vec<Candidate>, StoreError> {
        Ok(Vec::new())
    }

    /// Up to `limit` postings that are marked as duplicates of one of these and have a fingerprint,
    /// by id, after this one. None by default.
    async fn copies(
        &self,
        _of: &[PostingId],
        _after: Option<PostingId>,
        _limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        Ok(Vec::new())
    }

    /// The pairs that an operator marked as different. None by default.
    async fn told_apart(&self, _pairs: &[Apart]) -> Result<HashSet<Apart>, StoreError> {
        Ok(HashSet::new())
    }

    /// Returns the current prefixes of these clients, as far as the clients are stored. Only a
    /// stored client can own a company.
    async fn fences(&self, clients: &[ClientId])
    -> Result<HashMap<ClientId, Prefixes>, StoreError>;

    /// Up to `limit` postings whose content has been [held back](crate::posting::Held) since
    /// `before`, the longest held first. None by default.
    async fn held(
        &self,
        _before: OffsetDateTime,
        _limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        Ok(Vec::new())
    }

    /// The records of what changes of these postings replaced, from the first change by an import
    /// on, newest first of each posting, without companies. None by default.
    async fn records(
        &self,
        _import: Uuid,
        _postings: &[PostingId],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        Ok(Vec::new())
    }

    /// Up to `limit` postings that are `approved` or `PendingEnrichment` and whose `expire_at` is
    /// not after `now`, the longest overdue first.
    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError>;
}

/// The port for answers about postings, as their readers see them ([`PostingView::shown`]).
#[async_trait]
pub trait PostingReader: Send + Sync {
    /// A posting with the newest [`HISTORY_SHOWN`] entries of its history.
    async fn find(&self, identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError>;

    /// Postings without their history, ascending by the query's order. Texts that are not asked
    /// for or do not belong to the page are not read.
    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError>;

    /// A posting as readers saw it at a moment, as far as [records](Rewind) of it are kept. Its
    /// company has its present name. A store that keeps no versions answers `None`.
    async fn as_of(
        &self,
        _identifier: &SourceIdentifier,
        _moment: AsOf,
    ) -> Result<Option<PostingView>, StoreError> {
        Ok(None)
    }

    /// Up to `limit` versions of a posting before one, newest first; `None` if there is no such
    /// posting, and in a store that keeps none.
    async fn versions(
        &self,
        _identifier: &SourceIdentifier,
        _before: Option<Version>,
        _limit: usize,
    ) -> Result<Option<Vec<PostingVersion>>, StoreError> {
        Ok(None)
    }
}
