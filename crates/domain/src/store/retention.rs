//! The port that deletes what is kept of postings: of those that expired, and of one that is to
//! be erased.

use async_trait::async_trait;
use kernel::{
    PostingId, SourceIdentifier, StoreError, Version,
    audit::{Attribution, Entry},
    outbox::TaskWrites,
};
use time::OffsetDateTime;

use crate::{audit::POSTINGS_PURGE, posting::Statement, report::ReportWrite};

/// One commit of a purge: expired postings to delete.
#[derive(Clone, Debug)]
pub struct Purge {
    /// The postings, with the versions that were judged, and perhaps archived.
    pub postings: Vec<(PostingId, Version)>,
    /// The time that they expired before.
    pub before: OffsetDateTime,
    /// The archive that has them, if any.
    pub archive: Option<String>,
    /// The number of postings that earlier commits of the same purge deleted.
    pub earlier: u64,
    /// The operator. All commits of a purge have the same entry of the audit.
    pub by: Attribution,
    /// When the purge began.
    pub at: OffsetDateTime,
}

impl Purge {
    /// The entry of the audit once this commit has deleted so many.
    pub fn entry(&self, deleted: usize) -> Entry {
        let before = self.before.date().to_string();
        let entry = self.by.entry(POSTINGS_PURGE, self.at);
        let entry = entry
            .with("postings", self.earlier + deleted as u64)
            .with("expired_before", before);
        match &self.archive {
            Some(archive) => entry.with("archive", archive.as_str()),
            None => entry,
        }
    }
}

/// The commit that erases a posting.
#[derive(Clone, Debug)]
pub struct Erasure {
    /// The posting.
    pub posting: PostingId,
    /// The version that it must have.
    pub version: Version,
    /// Its identifier.
    pub identifier: SourceIdentifier,
    /// The statement of its removal.
    pub statement: Option<Statement>,
    /// The reports about it that waited, which end with it.
    pub reports: Vec<ReportWrite>,
    /// What tells of the erasure: its event and its entry of the audit, which stay.
    pub tasks: TaskWrites,
}

/// The port of retention.
#[async_trait]
pub trait Retention: Send + Sync {
    /// Drops what enrichment made of up to `limit` postings that are expired and have been since
    /// before `expired_before`, the longest expired first: texts, redacted title and coordinates.
    /// Returns how many postings had any.
    ///
    /// Such a posting is as if it had no outcome yet ([`Posting::forget_texts`]), with its next
    /// version, so that a decision on the earlier one is a conflict. The time of its last update
    /// stays, and no event is raised. A store may leave out postings that other transactions hold
    /// locked.
    ///
    /// [`Posting::forget_texts`]: crate::posting::Posting::forget_texts
    async fn drop_texts(
        &self,
        expired_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes up to `limit` records of versions from before a time, and returns their number.
    /// Those of postings whose readers see [other](crate::posting::Shown) values than those that
    /// were pushed stay.
    async fn forget_versions(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes postings that are expired and have the version that is named, each with its texts,
    /// its history, its versions, its fingerprint and its task if that waits; counts them, and
    /// writes the [entry](Purge::entry) of the audit if there are any. Their companies and events
    /// stay. A posting that an operator took down stays too, so that its identifier remains taken
    /// down. A store may leave out postings that other transactions hold locked.
    async fn purge(&self, purge: &Purge) -> Result<usize, StoreError>;

    /// Deletes a posting, whatever its status, with every copy of what it says: its texts, history,
    /// versions and fingerprint; drafts that were kept for it, or that are not known to be another
    /// one's; refusals of its identifier; and the reasons in older events and entries of the audit
    /// about that. The events themselves keep their places. Reports about it lose what they say and
    /// where the posting was seen; how they ended stays, and so do the [statements] about the
    /// posting.
    ///
    /// What is recorded or kept later and is from before the erasure is left out by
    /// the log of the activity of clients, and by the cache of drafts.
    ///
    /// [`StoreError::Conflict`] if there is no such posting in this version, or if one of the
    /// reports no longer waits.
    ///
    /// [statements]: crate::posting::Statement
    async fn erase(&self, erasure: &Erasure) -> Result<(), StoreError>;

    /// Overwrites what the store's own files still have of deleted rows, as far as that is up to
    /// this process. Returns whether nothing is left in them.
    async fn overwrite_deleted(&self) -> Result<bool, StoreError> {
        Ok(true)
    }
}
