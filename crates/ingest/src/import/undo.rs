//! The undo of what a catalogue expired: a task, so that a client that hangs up does not end it.

use async_trait::async_trait;
use domain::{
    catalogue::{CatalogueLease, ExpiredPosting, Undone},
    usecase::{CatalogueError, ImportError, IngestError, UndoCatalogue, UndoOrder, undo_expiries},
};
use kernel::{PostingId, StoreError};
use runtime::{retry, waits};
use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    lease::{self, HeldLease},
    ports::{CataloguePorts, PATIENCE, stopping},
    sweep::{PAGE, Page, Step, Sweep},
};

/// Undoes what catalogues expired, on the runtime on which it was made.
#[derive(Clone)]
pub struct CatalogueUndo {
    pub(super) ports: CataloguePorts,
    pub(super) runtime: Handle,
    pub(super) tasks: TaskTracker,
    pub(super) stop: CancellationToken,
}

impl CatalogueUndo {
    /// Binds undos to the current runtime.
    pub fn new(ports: CataloguePorts) -> Self {
        Self {
            ports,
            runtime: Handle::current(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        }
    }

    async fn run(self, order: UndoOrder) -> Result<Undone, CatalogueError> {
        let lease = HeldLease::take(&self.ports, order.client, &order.name, None).await;
        let lease = lease.map_err(error)?.ok_or(CatalogueError::NotFound)?;
        let undone = self.run_under(&lease, &order).await;
        if undone.is_err() {
            lease.release(&self.ports).await;
        }
        undone
    }

    async fn run_under(
        &self,
        lease: &HeldLease,
        order: &UndoOrder,
    ) -> Result<Undone, CatalogueError> {
        let (ports, stop) = (&self.ports, &self.stop);
        let mut undo = Undo {
            ports,
            order,
            lease: lease.lease,
            is_recorded: false,
        };
        let swept = Sweep::new(ports, lease, stop, &mut undo).run().await;
        swept.map_err(error)?;
        let waits = waits::after_failures().within(PATIENCE);
        let waits = waits.take_while(|_| !stop.is_cancelled());
        let finish = || ports.catalogues.finish_undo(lease.lease);
        let undone = retry(waits, |_| true, finish).await?;
        undone.ok_or_else(|| error(lease::lost()))
    }
}

#[async_trait]
impl UndoCatalogue for CatalogueUndo {
    async fn undo(&self, order: UndoOrder) -> Result<Undone, CatalogueError> {
        if self.stop.is_cancelled() {
            return Err(error(stopping()));
        }
        let undo = self.clone().run(order);
        let undone = self.tasks.spawn_on(undo, &self.runtime).await;
        undone.map_err(|error| StoreError::Broken(error.to_string()))?
    }
}

/// The postings that the last import that expired any has expired.
struct Undo<'a> {
    ports: &'a CataloguePorts,
    order: &'a UndoOrder,
    lease: CatalogueLease,
    /// Whether the audit has the order.
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

fn error(error: ImportError) -> CatalogueError {
    match error {
        ImportError::Running(seconds) => CatalogueError::Running(seconds),
        ImportError::Failed(IngestError::Broken(why)) => StoreError::Broken(why).into(),
        other => StoreError::Unavailable(other.to_string()).into(),
    }
}
