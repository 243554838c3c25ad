//! The ports of the state: load for a batch, commit decisions, read postings.

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

/// What use cases load of the state.
#[async_trait]
pub trait Reads: Send + Sync {
    /// The named postings with their companies, and the named companies. Descriptions come
    /// without their texts, which no rule reads.
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError>;

    /// Likewise by the postings' ids, with description texts and companies' former names.
    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError>;

    /// The answers to commands that change nothing of the named postings, without loading whole
    /// postings.
    async fn repeat_answers(
        &self,
        identifiers: &[SourceIdentifier],
    ) -> Result<HashMap<SourceIdentifier, RepeatAnswer>, StoreError> {
        Ok(self.load(identifiers, &[]).await?.repeat_answers())
    }

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

    /// The postings with a fingerprint and one of these numbers: per number the oldest
    /// [`CANDIDATES`](crate::posting::duplicate::CANDIDATES). None by default.
    async fn numbered(&self, _numbers: &[Number]) -> Result<Vec<Candidate>, StoreError> {
        Ok(Vec::new())
    }

    /// Up to `limit` marked duplicates of these with a fingerprint, by id after this one. None by
    /// default.
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

    /// The current prefixes of these clients, if stored. Only stored clients own companies.
    async fn prefixes(
        &self,
        clients: &[ClientId],
    ) -> Result<HashMap<ClientId, Prefixes>, StoreError>;

    /// Up to `limit` postings with content [held back](crate::posting::Held) since before `before`,
    /// the longest held first. None by default.
    async fn held(
        &self,
        _before: OffsetDateTime,
        _limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        Ok(Vec::new())
    }

    /// The records of these postings' changes since the first by an import, newest first per
    /// posting, without companies. None by default.
    async fn records(
        &self,
        _import: Uuid,
        _postings: &[PostingId],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        Ok(Vec::new())
    }

    /// The records of each posting's changes after a version, newest first per posting, without
    /// companies. None by default.
    async fn records_after(
        &self,
        _versions: &[(PostingId, Version)],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        Ok(Vec::new())
    }

    /// Up to `limit` approved or waiting postings whose `expire_at` is not after `now`, the longest
    /// overdue first.
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
}

/// A store around another one, whose reads are those of the inner one.
pub trait Around: Send + Sync {
    /// The type of the inner store.
    type Inner: Reads + ?Sized;

    /// Returns the store that is read.
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

    /// Postings without history in the query's order. Reads only requested texts of the page.
    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError>;

    /// A posting as readers saw it at a moment, if its [records](Rewind) are kept, with its
    /// company's present name. `None` without versions.
    async fn as_of(
        &self,
        _identifier: &SourceIdentifier,
        _moment: AsOf,
    ) -> Result<Option<PostingView>, StoreError> {
        Ok(None)
    }

    /// Up to `limit` versions of a posting before one, newest first; `None` without the posting or
    /// versions.
    async fn versions(
        &self,
        _identifier: &SourceIdentifier,
        _before: Option<Version>,
        _limit: usize,
    ) -> Result<Option<Vec<PostingVersion>>, StoreError> {
        Ok(None)
    }
}
