//! Commits of this process wake its worker.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    company::CompanyId,
    outbox::Kind,
    posting::{PostingId, SourceIdentifier},
    store::{Known, Store, StoreError, WriteSet},
};
use time::OffsetDateTime;
use tokio::sync::{Notify, futures::Notified};

/// Tells the loops of a worker that there is something to do. A call that comes while nobody
/// waits is kept for the next who does.
#[derive(Debug, Default)]
pub struct Wake {
    enrich: Notify,
    event: Notify,
}

impl Wake {
    fn of(&self, kind: Kind) -> &Notify {
        match kind {
            Kind::Enrich => &self.enrich,
            Kind::Event => &self.event,
        }
    }

    /// Waits until there may be tasks of this kind.
    pub(super) fn called(&self, kind: Kind) -> Notified<'_> {
        self.of(kind).notified()
    }
}

/// A store that wakes a worker after commits with something for it.
pub struct WakingStore {
    inner: Arc<dyn Store>,
    wake: Arc<Wake>,
}

impl WakingStore {
    /// Puts a store and a worker together.
    pub fn new(inner: Arc<dyn Store>, wake: Arc<Wake>) -> Self {
        Self { inner, wake }
    }
}

#[async_trait]
impl Store for WakingStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Known, StoreError> {
        self.inner.load(identifiers, companies).await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Known, StoreError> {
        self.inner.load_by_id(ids).await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        let kinds: Vec<_> = Kind::ALL
            .into_iter()
            .filter(|kind| match kind {
                Kind::Event => !writes.events.is_empty(),
                Kind::Enrich => writes
                    .effects
                    .iter()
                    .any(|effect| effect.kind() == Kind::Enrich),
            })
            .collect();
        let result = self.inner.commit(writes).await;
        if result.is_ok() {
            for kind in kinds {
                self.wake.of(kind).notify_one();
            }
        }
        result
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        self.inner.overdue(now, limit).await
    }
}
