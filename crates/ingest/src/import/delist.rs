use async_trait::async_trait;
use domain::{
    catalogue::{CatalogueId, CatalogueLease, Missed, OpenPosting},
    import::MOST_NAMED,
    usecase::{CatalogueOrder, Delisted, delist_missing},
};
use kernel::{PostingId, SourceIdentifier, StoreError};

use super::{
    ports::CataloguePorts,
    sweep::{PAGE, Page, Step},
};

pub(super) struct MissingPostings<'a, F> {
    pub ports: &'a CataloguePorts,
    pub catalogue: CatalogueId,
    pub order: &'a CatalogueOrder,
    pub is_missing: F,
}

impl<F: Fn(&SourceIdentifier) -> bool + Send + Sync> MissingPostings<'_, F> {
    pub async fn page(&self, after: Option<PostingId>) -> Result<Page<OpenPosting>, StoreError> {
        let catalogues = &self.ports.catalogues;
        let page = catalogues.open_postings(self.catalogue, after, PAGE);
        let mut page = page.await?;
        let last = page.last().filter(|_| page.len() == PAGE);
        let next = last.map(|posting| posting.id);
        page.retain(|posting| (self.is_missing)(&posting.identifier));
        Ok((page, next))
    }

    pub async fn first(&self) -> Result<Vec<SourceIdentifier>, StoreError> {
        let (mut first, mut after) = (Vec::new(), None);
        loop {
            let (page, next) = self.page(after).await?;
            first.extend(page.into_iter().map(|posting| posting.identifier));
            if first.len() >= MOST_NAMED || next.is_none() {
                first.truncate(MOST_NAMED);
                return Ok(first);
            }
            after = next;
        }
    }

    pub async fn would_expire(&self) -> Result<u64, StoreError> {
        let (mut after, mut count) = (None, 0);
        loop {
            let (page, next) = self.page(after).await?;
            let ids: Vec<_> = page.iter().map(|posting| posting.id).collect();
            let misses = self.ports.catalogues.misses(self.catalogue, &ids).await?;
            for id in ids {
                let before = misses.get(&id).copied().unwrap_or_default();
                count += u64::from(self.order.patience.after(before) == Missed::Expired);
            }
            if next.is_none() {
                return Ok(count);
            }
            after = next;
        }
    }
}

pub(super) struct Delisting<'a, F> {
    pub missing: MissingPostings<'a, F>,
    pub lease: CatalogueLease,
    pub delisted: Delisted,
}

#[async_trait]
impl<F: Fn(&SourceIdentifier) -> bool + Send + Sync> Step for Delisting<'_, F> {
    type Posting = SourceIdentifier;

    async fn page(&self, after: Option<PostingId>) -> Result<Page<SourceIdentifier>, StoreError> {
        let (page, next) = self.missing.page(after).await?;
        let postings = page.into_iter().map(|posting| posting.identifier);
        Ok((postings.collect(), next))
    }

    async fn commit(&mut self, postings: &[SourceIdentifier]) -> Result<(), StoreError> {
        let MissingPostings { ports, order, .. } = &self.missing;
        let (store, catalogues, now) = (&*ports.store, &*ports.catalogues, (ports.clock)());
        let (name, patience) = (&order.name, order.patience);
        let delisted =
            delist_missing(store, catalogues, self.lease, name, patience, postings, now).await?;
        self.delisted.missing += delisted.missing;
        self.delisted.expired += delisted.expired;
        Ok(())
    }
}
