//! Held-back postings of an import: recorded at its end, removed when a later import names them,
//! expired by a release.

use async_trait::async_trait;
use domain::{
    catalogue::{CatalogueLease, Missed, MissingPosting, OpenPosting, Roster},
    usecase::{CorrectionOrder, record_missed, release_held},
};
use kernel::{PostingId, SourceIdentifier, StoreError};

use super::{
    delist::MissingPostings,
    ports::CataloguePorts,
    sweep::{PAGE, Page, Step},
};

/// The end of a held-back import: records its missing postings.
pub(super) struct Holding<'a, F> {
    pub missing: MissingPostings<'a, F>,
    pub lease: CatalogueLease,
}

#[async_trait]
impl<F: Fn(&SourceIdentifier) -> bool + Send + Sync> Step for Holding<'_, F> {
    type Posting = OpenPosting;

    async fn page(&self, after: Option<PostingId>) -> Result<Page<OpenPosting>, StoreError> {
        self.missing.page(after).await
    }

    async fn commit(&mut self, postings: &[OpenPosting]) -> Result<(), StoreError> {
        let ids = postings.iter().map(|posting| posting.id);
        let CataloguePorts { store, clock, .. } = self.missing.ports;
        record_missed(&**store, self.lease, ids, Missed::Held, clock()).await
    }
}

async fn page(
    ports: &CataloguePorts,
    lease: CatalogueLease,
    after: Option<PostingId>,
) -> Result<Page<MissingPosting>, StoreError> {
    let page = ports.catalogues.missing(lease.catalogue, after, PAGE);
    let mut page = page.await?;
    let last = page.last().filter(|_| page.len() == PAGE);
    let next = last.map(|posting| posting.id);
    page.retain(|posting| posting.is_held);
    Ok((page, next))
}

/// The end of an incomplete import: named postings are no longer held back.
pub(super) struct Naming<'a> {
    pub ports: &'a CataloguePorts,
    pub lease: CatalogueLease,
    pub held: &'a Roster,
}

#[async_trait]
impl Step for Naming<'_> {
    type Posting = MissingPosting;

    async fn page(&self, after: Option<PostingId>) -> Result<Page<MissingPosting>, StoreError> {
        let (mut page, next) = page(self.ports, self.lease, after).await?;
        page.retain(|posting| !self.held.is_missing(&posting.identifier));
        Ok((page, next))
    }

    async fn commit(&mut self, postings: &[MissingPosting]) -> Result<(), StoreError> {
        let ids = postings.iter().map(|posting| posting.id);
        let CataloguePorts { store, clock, .. } = self.ports;
        record_missed(&**store, self.lease, ids, Missed::Kept, clock()).await
    }
}

pub(super) struct Releasing<'a> {
    pub ports: &'a CataloguePorts,
    pub order: &'a CorrectionOrder,
    pub lease: CatalogueLease,
    pub is_recorded: bool,
}

#[async_trait]
impl Step for Releasing<'_> {
    type Posting = MissingPosting;

    async fn page(&self, after: Option<PostingId>) -> Result<Page<MissingPosting>, StoreError> {
        page(self.ports, self.lease, after).await
    }

    async fn commit(&mut self, postings: &[MissingPosting]) -> Result<(), StoreError> {
        let CataloguePorts { store, clock, .. } = self.ports;
        let is_first = !self.is_recorded;
        release_held(
            &**store,
            self.lease,
            self.order,
            postings,
            is_first,
            clock(),
        )
        .await?;
        self.is_recorded = true;
        Ok(())
    }
}
