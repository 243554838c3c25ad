//! Releases of held-back postings, and undos of imports. They run as tasks, which continue when a
//! client disconnects.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use domain::{
    catalogue::{CatalogueLease, ExpiredPosting, Released, Undone},
    usecase::{
        CatalogueCorrections, CatalogueError, CorrectionOrder, ImportError, IngestError,
        undo_changes, undo_expiries,
    },
};
use kernel::{PostingId, StoreError};
use runtime::{retry, waits};
use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use super::{
    held::Releasing,
    lease::{self, HeldLease},
    ports::{CataloguePorts, PATIENCE, stopping},
    sweep::{PAGE, Page, Step, Sweep},
};

#[derive(Clone)]
pub struct CatalogueCorrector {
    pub(super) ports: CataloguePorts,
    pub(super) runtime: Handle,
    pub(super) tasks: TaskTracker,
    pub(super) stop: CancellationToken,
}

impl CatalogueCorrector {
    pub fn new(ports: CataloguePorts) -> Self {
        Self {
            ports,
            runtime: Handle::current(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        }
    }

    async fn lease(&self, order: &CorrectionOrder) -> Result<HeldLease, CatalogueError> {
        let lease = HeldLease::take(&self.ports, order.client, &order.name, None).await;
        lease.map_err(error)?.ok_or(CatalogueError::NotFound)
    }

    /// Ends the lease of a failed correction, so that it can be repeated at once.
    async fn end<T>(
        &self,
        lease: HeldLease,
        done: Result<T, CatalogueError>,
    ) -> Result<T, CatalogueError> {
        if done.is_err() {
            lease.release(&self.ports).await;
        }
        done
    }

    async fn release_under(
        &self,
        lease: &HeldLease,
        order: &CorrectionOrder,
    ) -> Result<Released, CatalogueError> {
        let mut releasing = Releasing {
            ports: &self.ports,
            order,
            lease: lease.lease,
            is_recorded: false,
        };
        self.sweep(lease, &mut releasing).await?;
        let finish = || self.ports.catalogues.finish_release(lease.lease);
        self.finish(finish).await
    }

    async fn undo_under(
        &self,
        lease: &HeldLease,
        order: &CorrectionOrder,
    ) -> Result<Undone, CatalogueError> {
        let mut undo = Undo {
            ports: &self.ports,
            order,
            lease: lease.lease,
            is_recorded: false,
        };
        self.sweep(lease, &mut undo).await?;
        let mut restoring = Restoring {
            undo,
            import: Mutex::new(Uuid::nil()),
        };
        self.sweep(lease, &mut restoring).await?;
        let finish = || self.ports.catalogues.finish_undo(lease.lease);
        self.finish(finish).await
    }

    async fn sweep(&self, lease: &HeldLease, step: &mut impl Step) -> Result<(), CatalogueError> {
        let sweep = Sweep::new(&self.ports, lease, &self.stop, step);
        sweep.run().await.map_err(error)
    }

    async fn finish<T, F: Future<Output = Result<Option<T>, StoreError>>>(
        &self,
        finish: impl FnMut() -> F,
    ) -> Result<T, CatalogueError> {
        let waits = waits::after_failures().within(PATIENCE);
        let waits = waits.take_while(|_| !self.stop.is_cancelled());
        let finished = retry(waits, |_| true, finish).await?;
        finished.ok_or_else(|| error(lease::lost()))
    }

    async fn in_task<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, CatalogueError>> + Send + 'static,
    ) -> Result<T, CatalogueError> {
        if self.stop.is_cancelled() {
            return Err(error(stopping()));
        }
        let done = self.tasks.spawn_on(work, &self.runtime).await;
        done.map_err(|error| StoreError::Broken(error.to_string()))?
    }
}

#[async_trait]
impl CatalogueCorrections for CatalogueCorrector {
    async fn release(&self, order: CorrectionOrder) -> Result<Released, CatalogueError> {
        let this = self.clone();
        let work = async move {
            let lease = this.lease(&order).await?;
            let done = this.release_under(&lease, &order).await;
            this.end(lease, done).await
        };
        self.in_task(work).await
    }

    async fn undo(&self, order: CorrectionOrder) -> Result<Undone, CatalogueError> {
        let this = self.clone();
        let work = async move {
            let lease = this.lease(&order).await?;
            let done = this.undo_under(&lease, &order).await;
            this.end(lease, done).await
        };
        self.in_task(work).await
    }
}

struct Undo<'a> {
    ports: &'a CataloguePorts,
    order: &'a CorrectionOrder,
    lease: CatalogueLease,
    is_recorded: bool,
}

#[async_trait]
impl Step for Undo<'_> {
    type Posting = ExpiredPosting;

    async fn page(&self, after: Option<PostingId>) -> Result<Page<ExpiredPosting>, StoreError> {
        let (catalogues, catalogue) = (&self.ports.catalogues, self.lease.catalogue);
        let page = catalogues.expired_last(catalogue, after, PAGE).await?;
        let last = page.last().filter(|_| page.len() == PAGE);
        let next = last.map(|posting| posting.id);
        Ok((page, next))
    }

    async fn commit(&mut self, postings: &[ExpiredPosting]) -> Result<(), StoreError> {
        let (store, now) = (&*self.ports.store, (self.ports.clock)());
        let is_first = !self.is_recorded;
        undo_expiries(store, self.lease, self.order, postings, is_first, now).await?;
        self.is_recorded = true;
        Ok(())
    }
}

struct Restoring<'a> {
    undo: Undo<'a>,
    import: Mutex<Uuid>,
}

#[async_trait]
impl Step for Restoring<'_> {
    type Posting = ExpiredPosting;

    async fn page(&self, after: Option<PostingId>) -> Result<Page<ExpiredPosting>, StoreError> {
        let (catalogues, catalogue) = (&self.undo.ports.catalogues, self.undo.lease.catalogue);
        let found = catalogues.changed_last(catalogue, after, PAGE).await?;
        let Some((import, page)) = found else {
            return Ok((Vec::new(), None));
        };
        *self.import.lock().unwrap_or_else(PoisonError::into_inner) = import;
        let last = page.last().filter(|_| page.len() == PAGE);
        let next = last.map(|posting| posting.id);
        Ok((page, next))
    }

    async fn commit(&mut self, postings: &[ExpiredPosting]) -> Result<(), StoreError> {
        let import = *self
            .import
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let Undo {
            ports,
            order,
            lease,
            is_recorded,
        } = &mut self.undo;
        let (store, now) = (&*ports.store, (ports.clock)());
        let changed = (import, postings);
        let is_first = !*is_recorded;
        undo_changes(store, *lease, order, changed, is_first, ports.lifetime, now).await?;
        *is_recorded = true;
        Ok(())
    }
}

fn error(error: ImportError) -> CatalogueError {
    match error {
        ImportError::Running(seconds) => CatalogueError::Running(seconds),
        ImportError::Failed(IngestError::Broken(why)) => StoreError::Broken(why).into(),
        other => StoreError::Unavailable(other.to_string()).into(),
    }
}
