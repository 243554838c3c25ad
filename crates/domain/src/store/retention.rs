//! The port that deletes data of expired postings, and of postings to erase.

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
    /// The postings, with the versions that were chosen, and perhaps archived.
    pub postings: Vec<(PostingId, Version)>,
    /// All of these postings expired before this time.
    pub before: OffsetDateTime,
    /// The archive that contains them, if there is one.
    pub archive: Option<String>,
    /// The number of postings that earlier commits of the purge deleted.
    pub earlier: u64,
    /// The operator. All commits of a purge share an audit entry.
    pub by: Attribution,
    /// When the purge began.
    pub at: OffsetDateTime,
}

impl Purge {
    /// The audit entry, if this commit deleted this many postings.
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
    /// The record of its removal for transparency reports.
    pub statement: Option<Statement>,
    /// Waiting reports about it, which end.
    pub reports: Vec<ReportWrite>,
    /// The event and the audit entry, which remain.
    pub tasks: TaskWrites,
}

/// The port of retention.
#[async_trait]
pub trait Retention: Send + Sync {
    /// Deletes the texts, redacted titles and coordinates of up to `limit` postings that expired
    /// before `expired_before`, the longest expired first. Returns how many postings lost data.
    ///
    /// Such a posting is then like a posting without an outcome ([`Posting::forget_texts`]). It
    /// gets its next version, so that a decision on the earlier version conflicts. Its update time
    /// stays, and no event is raised. A store may skip locked postings.
    ///
    /// [`Posting::forget_texts`]: crate::posting::Posting::forget_texts
    async fn drop_texts(
        &self,
        expired_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes up to `limit` version records from before a time, and returns their number. Keeps
    /// the records of postings whose [shown](crate::posting::Shown) values are not the pushed ones.
    async fn forget_versions(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes the expired postings with these versions, including texts, history, versions,
    /// fingerprint and waiting task. If there are any, writes the audit [entry](Purge::entry).
    /// Returns their number. Companies and events stay. Postings that an operator took down also
    /// stay, so that their identifiers cannot be used again. A store may skip locked postings.
    async fn purge(&self, purge: &Purge) -> Result<usize, StoreError>;

    /// Deletes a posting in any status, with every copy of its content: texts, history, versions
    /// and fingerprint; its drafts, and drafts of unknown postings; and refusals of its identifier.
    /// Also deletes the reasons in older events and audit entries about it. The events keep their
    /// places. Reports about the posting lose their texts and URLs. The decisions of reports stay,
    /// and so do the [statements].
    ///
    /// The activity log and the draft cache reject content from before the erasure, even if it
    /// arrives later.
    ///
    /// [`StoreError::Conflict`] if there is no such posting in this version, or if a report no
    /// longer waits.
    ///
    /// [statements]: crate::posting::Statement
    async fn erase(&self, erasure: &Erasure) -> Result<(), StoreError>;

    /// Overwrites remains of deleted rows in the store's own files, as far as this process can.
    /// Returns whether nothing is left.
    async fn overwrite_deleted(&self) -> Result<bool, StoreError> {
        Ok(true)
    }
}
