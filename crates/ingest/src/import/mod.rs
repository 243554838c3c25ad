//! Imports: the lines of one request on their way through the lanes.
//!
//! ```text
//! take ──► parse ──► queue ──► execute ──► ledger ──► receipts
//! bounded  threads    │  ▲       lanes       in the order of the lines
//!                     └──┴─ again: while the store is unavailable
//! ```
//!
//! - [`running`] is the request's side. It submits lines while there is room, and otherwise waits
//!   for receipts, which slows the client down.
//! - [`pipeline`] is a task for each import. Other threads parse its lines ([`parse`]). It keeps
//!   the commands of one identifier in order ([`keyed_queue`](crate::keyed_queue)). It executes
//!   several batches at a time ([`execute`]), in the lanes unless a line is known to change nothing
//!   ([`cache`]). It retries commands that the store could not answer ([`outage`]), and issues
//!   receipts in the order of the lines ([`ledger`]).
//! - [`catalogue`] begins and ends the import of a catalogue, under a [`lease`]. [`delist`] expires
//!   the postings that no line has named, unless they are [`held`] back. [`correct`] releases
//!   held-back postings, or undoes an import. They all handle postings in a [`sweep`].
//!
//! A task does the work. If the client disconnects before the end of the body, the import stops
//! between two lines. If it disconnects later, the import continues.

mod cache;
mod catalogue;
mod correct;
mod delist;
mod execute;
mod held;
mod lease;
mod ledger;
mod naming;
mod outage;
mod parse;
mod pipeline;
mod ports;
mod running;
mod sweep;

#[cfg(test)]
mod tests;

use std::{num::NonZero, sync::Arc, thread, time::Duration};

use async_trait::async_trait;
use domain::{
    import::LineOptions,
    usecase::{Import, ImportError, ImportOrder, Imports, IngestError},
};
use tokio::{runtime::Handle, sync::Semaphore, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use self::{
    cache::LineCache, catalogue::CatalogueRun, execute::Shared, pipeline::Pipeline,
    ports::stopping, running::Running,
};
pub use self::{
    correct::CatalogueCorrector,
    ports::{CataloguePorts, ImportPorts},
};

/// How long a stop waits for imports, whose commands take up to ten seconds.
const STOP_WITHIN: Duration = Duration::from_secs(15);

pub struct Importer {
    ports: ImportPorts,
    runtime: Handle,
    tasks: TaskTracker,
    stop: CancellationToken,
    shared: Shared,
}

pub struct ImportTasks {
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Importer {
    /// Binds imports to the current runtime, even if calls come from another one.
    pub fn new(ports: ImportPorts) -> (Self, ImportTasks) {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let importer = Self {
            ports,
            runtime: Handle::current(),
            tasks: tasks.clone(),
            stop: stop.clone(),
            shared: Shared {
                parsers: Arc::new(Semaphore::new(cores)),
                cache: Arc::new(LineCache::new()),
            },
        };
        (importer, ImportTasks { stop, tasks })
    }

    pub fn corrections(&self) -> CatalogueCorrector {
        CatalogueCorrector {
            ports: self.ports.catalogues.clone(),
            runtime: self.runtime.clone(),
            tasks: self.tasks.clone(),
            stop: self.stop.clone(),
        }
    }
}

#[async_trait]
impl Imports for Importer {
    async fn begin(&self, order: ImportOrder) -> Result<Box<dyn Import>, ImportError> {
        // The import begins in a task, so that a dropped request leaves no lease behind.
        let begun = begin(
            self.ports.clone(),
            order,
            self.tasks.clone(),
            self.stop.clone(),
            self.shared.clone(),
        );
        match self.tasks.spawn_on(begun, &self.runtime).await {
            Ok(begun) => Ok(Box::new(begun?)),
            Err(error) => Err(IngestError::Broken(error.to_string()).into()),
        }
    }
}

async fn begin(
    ports: ImportPorts,
    order: ImportOrder,
    tasks: TaskTracker,
    stop: CancellationToken,
    shared: Shared,
) -> Result<Running, ImportError> {
    if stop.is_cancelled() {
        return Err(stopping());
    }
    let started_at = (ports.catalogues.clock)();
    let mut options = LineOptions {
        client: order.client,
        handling: order.handling,
        catalogue: None,
        import: Some(Uuid::new_v4()),
    };
    let run = match &order.catalogue {
        None => None,
        Some(wanted) => {
            let run = CatalogueRun::begin(&ports.catalogues, &order, wanted, &stop).await?;
            options.catalogue = Some(run.id);
            options.import = run.lease().map(|lease| lease.holder).or(options.import);
            Some(run)
        }
    };
    let dry_run = order.dry_run;
    let (pipeline, running) = Pipeline::new(ports, options, dry_run, run, started_at, stop, shared);
    tasks.spawn(pipeline.run());
    Ok(running)
}

impl ImportTasks {
    /// Ends running imports, whose clients must send them again.
    pub fn interrupt(&self) {
        self.stop.cancel();
    }

    pub async fn stop(self) {
        self.interrupt();
        self.tasks.close();
        if timeout(STOP_WITHIN, self.tasks.wait()).await.is_err() {
            tracing::error!("an import has not ended in time");
        }
    }
}
