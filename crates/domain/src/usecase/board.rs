//! The use cases for a service that embeds this crate.

use kernel::{CompanyId, SourceIdentifier, StoreError, audit::Attribution, decide_again};
use time::OffsetDateTime;

use super::{
    Answers, CompanyChange, CompanyError, ModerationError, expire, ingest, moderate, update_company,
};
use crate::{
    decision::{WriteSet, outcome},
    posting::{ContentHash, Enrichment, Lifetime, Posting, PutPosting, moderation::Moderation},
    store::Store,
};

/// A board of postings on a store. Each command loads, decides and commits, and retries after
/// conflicts, at most [`ATTEMPTS`](kernel::ATTEMPTS) times.
#[derive(Clone, Copy, Debug)]
pub struct Board<S> {
    /// The store.
    pub store: S,
    /// The lifetime of postings.
    pub lifetime: Lifetime,
}

impl<S: Store> Board<S> {
    /// Executes commands in order, see [`ingest`].
    pub async fn put(
        &self,
        puts: &[PutPosting],
        now: OffsetDateTime,
    ) -> Result<Answers, StoreError> {
        decide_again(|| ingest(&self.store, puts, self.lifetime, now)).await
    }

    /// Executes an operator's command, and returns the posting.
    pub async fn moderate(
        &self,
        identifier: &SourceIdentifier,
        command: &Moderation,
        by: &Attribution,
        now: OffsetDateTime,
    ) -> Result<Posting, ModerationError> {
        let (store, lifetime) = (&self.store, self.lifetime);
        decide_again(|| moderate(store, identifier, command, None, by, lifetime, now)).await
    }

    /// Records the result of enriching a posting's [due](outcome::due) content. Returns `false` if
    /// the posting no longer awaits an outcome for this content.
    pub async fn judge(
        &self,
        identifier: &SourceIdentifier,
        content: ContentHash,
        made: &Enrichment,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let attempt = || async {
            let identifiers = std::slice::from_ref(identifier);
            let mut snapshot = self.store.load(identifiers, &[]).await?;
            let Some(posting) = snapshot.postings.get(identifier) else {
                return Ok(false);
            };
            let company = snapshot.company_of(posting)?;
            let change = outcome::apply(posting, company, content, made, None, self.lifetime, now);
            let Some(change) = change else {
                return Ok(false);
            };
            let mut writes = WriteSet::new(now);
            change.record(&mut snapshot, &mut writes);
            self.store.commit(writes).await?;
            Ok(true)
        };
        decide_again(attempt).await
    }

    /// Expires up to `limit` overdue postings, and returns how many there were.
    pub async fn expire(&self, limit: usize, now: OffsetDateTime) -> Result<usize, StoreError> {
        let attempt = || async {
            let overdue = self.store.overdue(now, limit).await?;
            expire(&self.store, &overdue, now).await?;
            Ok(overdue.len())
        };
        decide_again(attempt).await
    }

    /// Executes an operator's change of a company.
    pub async fn change_company(
        &self,
        id: CompanyId,
        change: &CompanyChange,
        by: &Attribution,
        now: OffsetDateTime,
    ) -> Result<(), CompanyError> {
        decide_again(|| update_company(&self.store, id, change, by, now)).await
    }
}
