//! The ports to the state: they load a batch's state, commit decisions, and read postings.

mod list;
mod locks;
mod retention;
mod rows;
mod scan;

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
    scan::{PageScan, ScanStep},
};
pub use crate::decision::{HISTORY_SHOWN, OptionalWrites, PostingWrite, Snapshot, WriteSet};
#[cfg(doc)]
use crate::posting::Rewind;
use crate::posting::{
    AsOf, PostingVersion, PostingView, RepeatAnswer,
    duplicate::{Apart, Candidate, Fingerprint, Number},
};

/// The reads of the state by use cases.
#[async_trait]
pub trait Reads: Send + Sync {
    /// The postings with these identifiers and their companies; these companies; and all companies
    /// into which one of these was merged. Descriptions have no texts, because no rule reads them.
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError>;

    /// The postings with these ids and their companies, with description texts and former names.
    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError>;

    /// For each of these postings, the answer to a command that changes nothing. A store can return
    /// it without loading whole postings.
    async fn repeat_answers(
        &self,
        identifiers: &[SourceIdentifier],
    ) -> Result<HashMap<SourceIdentifier, RepeatAnswer>, StoreError> {
        Ok(self.load(identifiers, &[]).await?.repeat_answers())
    }

    /// The postings, open or not, that share a band with one of these fingerprints: for each band
    /// the oldest [`CANDIDATES`](crate::posting::duplicate::CANDIDATES) by [age]. Also returns the
    /// `named` postings that have a fingerprint. Each posting is returned once, in order of id. The
    /// default returns none, for a store without duplicates.
    ///
    /// [age]: crate::posting::duplicate::Candidate::age
    async fn candidates(
        &self,
        _fingerprints: &[Fingerprint],
        _named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        Ok(Vec::new())
    }

    /// The postings that have a fingerprint and one of these requisition numbers: for each number
    /// the oldest [`CANDIDATES`](crate::posting::duplicate::CANDIDATES). None by default.
    async fn numbered(&self, _numbers: &[Number]) -> Result<Vec<Candidate>, StoreError> {
        Ok(Vec::new())
    }

    /// Up to `limit` postings that have a fingerprint and are marked as duplicates of one of these,
    /// after `after`, ascending by id. None by default.
    async fn copies(
        &self,
        _of: &[PostingId],
        _after: Option<PostingId>,
        _limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        Ok(Vec::new())
    }

    /// The pairs among these that an operator marked as different. None by default.
    async fn told_apart(&self, _pairs: &[Apart]) -> Result<HashSet<Apart>, StoreError> {
        Ok(HashSet::new())
    }

    /// The current prefixes of these clients. Unknown clients are absent.
    async fn prefixes(
        &self,
        clients: &[ClientId],
    ) -> Result<HashMap<ClientId, Prefixes>, StoreError>;

    /// Up to `limit` postings with content [held back](crate::posting::Held) since `before` or
    /// earlier, the longest held first. None by default.
    async fn held(
        &self,
        _before: OffsetDateTime,
        _limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        Ok(Vec::new())
    }

    /// For each posting, the records of its changes since the first change by this import, newest
    /// first, without companies. None by default.
    async fn records(
        &self,
        _import: Uuid,
        _postings: &[PostingId],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        Ok(Vec::new())
    }

    /// The records of each posting's changes after a version, newest first, without companies. None
    /// by default.
    async fn records_after(
        &self,
        _versions: &[(PostingId, Version)],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        Ok(Vec::new())
    }

    /// Up to `limit` open postings whose `expire_at` is not after `now`, the longest overdue first.
    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError>;
}

/// The port to the state.
#[async_trait]
pub trait Store: Reads {
    /// Writes everything or nothing.
    ///
    /// Companies have no version, so another commit may have made the same change. Then the company
    /// stays unchanged, and the events of `writes` about the company are omitted. The stored
    /// name that a write replaces becomes a former name, even if another commit stored that name
    /// after the decision: [`CompanyWrite::former_names`] is the rule.
    ///
    /// [`CompanyWrite::former_names`]: crate::company::CompanyWrite::former_names
    ///
    /// If [`PostingWrite::trims_history`] is true, the posting's history loses its oldest entries.
    /// The values that a write [replaces](PostingWrite::replaced) are recorded, with the former
    /// description and texts.
    ///
    /// [`StoreError::Conflict`] if
    ///
    /// - a posting has another version than expected, or its identifier was taken meanwhile;
    /// - a posting no longer has the version that [`OptionalWrites::standing`] requires;
    /// - a company refuses its write ([`applied_to`](crate::company::CompanyWrite::applied_to));
    /// - a report exists already, or no longer waits;
    /// - the lease of a settled task or of a catalogue was lost.
    ///
    /// [`StoreError::Locked`] if another transaction holds a row's lock for longer than a short
    /// time. A store with a single writer never returns it.
    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError>;
}

/// A store that wraps another store, and passes all reads to it.
pub trait Around: Send + Sync {
    /// The type of the inner store.
    type Inner: Reads + ?Sized;

    /// Returns the wrapped store.
    fn inner(&self) -> &Self::Inner;
}

#[async_trait]
impl<S: Around> Reads for S {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError> {
        self.inner().load(identifiers, companies).await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
        self.inner().load_by_id(ids).await
    }

    async fn repeat_answers(
        &self,
        identifiers: &[SourceIdentifier],
    ) -> Result<HashMap<SourceIdentifier, RepeatAnswer>, StoreError> {
        self.inner().repeat_answers(identifiers).await
    }

    async fn candidates(
        &self,
        fingerprints: &[Fingerprint],
        named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        self.inner().candidates(fingerprints, named).await
    }

    async fn numbered(&self, numbers: &[Number]) -> Result<Vec<Candidate>, StoreError> {
        self.inner().numbered(numbers).await
    }

    async fn copies(
        &self,
        of: &[PostingId],
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        self.inner().copies(of, after, limit).await
    }

    async fn told_apart(&self, pairs: &[Apart]) -> Result<HashSet<Apart>, StoreError> {
        self.inner().told_apart(pairs).await
    }

    async fn prefixes(
        &self,
        clients: &[ClientId],
    ) -> Result<HashMap<ClientId, Prefixes>, StoreError> {
        self.inner().prefixes(clients).await
    }

    async fn held(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        self.inner().held(before, limit).await
    }

    async fn records(
        &self,
        import: Uuid,
        postings: &[PostingId],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        self.inner().records(import, postings).await
    }

    async fn records_after(
        &self,
        versions: &[(PostingId, Version)],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        self.inner().records_after(versions).await
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        self.inner().overdue(now, limit).await
    }
}

/// The port for answers about postings, as their readers see them ([`PostingView::shown`]).
#[async_trait]
pub trait PostingReader: Send + Sync {
    /// A posting with the newest [`HISTORY_SHOWN`] entries of its history.
    async fn find(&self, identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError>;

    /// Postings without history, in the query's order. Reads only the requested texts of the page.
    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError>;

    /// A posting as readers saw it at a moment, with its company's present name. `None` if there is
    /// no such posting, or if its [records](Rewind) begin later.
    async fn as_of(
        &self,
        _identifier: &SourceIdentifier,
        _moment: AsOf,
    ) -> Result<Option<PostingView>, StoreError> {
        Ok(None)
    }

    /// Up to `limit` versions of a posting before the given version, newest first. `None` if there
    /// is no such posting, or in a store without versions.
    async fn versions(
        &self,
        _identifier: &SourceIdentifier,
        _before: Option<Version>,
        _limit: usize,
    ) -> Result<Option<Vec<PostingVersion>>, StoreError> {
        Ok(None)
    }
}
