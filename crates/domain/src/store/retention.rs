//! The port that deletes data of postings: expired ones, and those to erase.

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
    /// The postings with their judged, possibly archived versions.
    pub postings: Vec<(PostingId, Version)>,
    /// The time before which they expired.
    pub before: OffsetDateTime,
    /// The archive that has them, if any.
    pub archive: Option<String>,
    /// Postings deleted by earlier commits of the purge.
    pub earlier: u64,
    /// The operator. All commits of a purge share an audit entry.
    pub by: Attribution,
    /// When the purge began.
    pub at: OffsetDateTime,
}

impl Purge {
    /// The audit entry after this commit deleted this many.
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
    /// Waiting reports about it, which end.
    pub reports: Vec<ReportWrite>,
    /// What remains of it: the event and the audit entry.
    pub tasks: TaskWrites,
}

/// The port of retention.
#[async_trait]
pub trait Retention: Send + Sync {
    /// Drops enrichment results of up to `limit` postings that expired before `expired_before`, the
    /// longest expired first: texts, redacted title and coordinates. Returns how many postings had
    /// any.
    ///
    /// The posting is then like one without an outcome ([`Posting::forget_texts`]), with its next
    /// version, so that a decision on the earlier one conflicts. Its update time stays, and no
    /// event is raised. A store may skip locked postings.
    ///
    /// [`Posting::forget_texts`]: crate::posting::Posting::forget_texts
    async fn drop_texts(
        &self,
        expired_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes up to `limit` version records from before a time, and returns their number. Keeps
    /// those of postings with [other](crate::posting::Shown) shown values.
    async fn forget_versions(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes expired postings with the named versions, including texts, history, versions,
    /// fingerprint and waiting task; counts them, and writes the audit [entry](Purge::entry) if
    /// there are any. Companies and events stay. So do postings that an operator took down, to keep
    /// their identifiers taken down. A store may skip locked postings.
    async fn purge(&self, purge: &Purge) -> Result<usize, StoreError>;

    /// Deletes a posting in any status with every copy of its content: texts, history, versions,
    /// fingerprint; its drafts, and those of unknown postings; refusals of its identifier; and
    /// reasons in older events and audit entries about it. The events keep their places. Reports
    /// about it lose their texts and URLs; their decisions stay, and so do the [statements].
    ///
    /// The activity log and the draft cache reject content from before the erasure, even if it
    /// arrives later.
    ///
    /// [`StoreError::Conflict`] without such a posting in this version, or if a report no longer
    /// waits.
    ///
    /// [statements]: crate::posting::Statement
    async fn erase(&self, erasure: &Erasure) -> Result<(), StoreError>;

    /// Overwrites remains of deleted rows in the store's own files, as far as this process can.
    /// Returns whether nothing is left.
    async fn overwrite_deleted(&self) -> Result<bool, StoreError> {
        Ok(true)
    }
}
