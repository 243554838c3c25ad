//! Imports on the store in memory. Special identifiers cause missing postings and faults.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use domain::{
    catalogue::{CatalogueId, Released, Undone},
    import::{Ending, HeldBecause, Line, LineError, LineOptions, Missing, Receipt, Summary},
    usecase::{
        CatalogueCorrections, CatalogueError, CatalogueOrder, CorrectionOrder, Import, ImportError,
        ImportOrder, Imports, Ingest, IngestError,
    },
};
use kernel::{PostingId, Prefixes, testing::identifier};
use uuid::Uuid;

use super::Backend;

struct Lines {
    backend: Arc<Backend>,
    order: ImportOrder,
    summary: Summary,
    late: Option<Receipt>,
    running: Running,
}

struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Imports for Handle {
    async fn begin(&self, order: ImportOrder) -> Result<Box<dyn Import>, ImportError> {
        let name = order.catalogue.as_ref().map(|order| order.name.as_str());
        match name {
            Some("running") => return Err(ImportError::Running(7)),
            Some("one-too-many") => return Err(ImportError::TooManyCatalogues(100)),
            _ => {}
        }
        let Self(backend) = self;
        backend.imports.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(Lines {
            backend: Arc::clone(backend),
            order,
            summary: Summary::default(),
            late: None,
            running: Running(Arc::clone(&backend.imports)),
        }))
    }
}

#[async_trait]
impl CatalogueCorrections for Handle {
    async fn release(&self, order: CorrectionOrder) -> Result<Released, CatalogueError> {
        match order.name.as_str() {
            "running" => Err(CatalogueError::Running(7)),
            "unknown" => Err(CatalogueError::NotFound),
            _ => Ok(Released {
                expired: 4,
                left: u64::from(order.by.is_none()),
            }),
        }
    }

    async fn undo(&self, order: CorrectionOrder) -> Result<Undone, CatalogueError> {
        match order.name.as_str() {
            "running" => Err(CatalogueError::Running(7)),
            "unknown" => Err(CatalogueError::NotFound),
            _ => Ok(Undone {
                reopened: 2,
                restored: 3,
                left: u64::from(order.by.is_none()),
            }),
        }
    }
}

pub struct Handle(pub Arc<Backend>);

impl Lines {
    async fn answer(&self, line: &Line, prefixes: &Prefixes) -> Receipt {
        let options = LineOptions {
            client: self.order.client,
            handling: self.order.handling,
            catalogue: (self.order.catalogue.as_ref()).map(|_| CatalogueId::new(Uuid::nil())),
            import: None,
        };
        let parsed = line.parse(&options, prefixes, PostingId::new(Uuid::now_v7()));
        let result = match parsed.command {
            Ok(put) if self.order.dry_run => {
                self.backend.dry_run(put).await.map_err(LineError::from)
            }
            Ok(put) => self.backend.put(put).await.map_err(LineError::from),
            Err(error) => Err(error),
        };
        Receipt {
            line: line.number,
            id: parsed.names.id,
            result,
        }
    }
}

#[async_trait]
impl Import for Lines {
    async fn take(
        &mut self,
        lines: Vec<Line>,
        prefixes: &Prefixes,
        receipts: &mut Vec<Receipt>,
    ) -> Result<(), ImportError> {
        for line in lines {
            receipts.extend(self.late.take());
            let receipt = self.answer(&line, prefixes).await;
            self.summary.counts.add(&receipt);
            let is_over = matches!(
                &receipt.result,
                Err(LineError::Ingest(IngestError::Unavailable(_)))
            );
            self.late = Some(receipt);
            if is_over {
                return Err(IngestError::Unavailable(super::INTERNALS.into()).into());
            }
        }
        Ok(())
    }

    async fn settle(&mut self, receipts: &mut Vec<Receipt>) -> Result<(), ImportError> {
        receipts.extend(self.late.take());
        Ok(())
    }

    async fn finish(mut self: Box<Self>, ending: Ending) -> (Summary, Result<(), ImportError>) {
        let complete = ending != Ending::Broken;
        self.summary.complete = complete;
        if let Some(order) = &self.order.catalogue
            && complete
        {
            let CatalogueOrder {
                guard, patience, ..
            } = order;
            let count = 25;
            let is_share = guard.max_missing.percent() < 100 && guard.min_missing < count;
            let held = is_share.then_some(HeldBecause::Share);
            self.summary.missing = Some(Missing {
                count,
                expired: if is_share || !patience.is_none() {
                    0
                } else {
                    count
                },
                released: false,
                first: held.map(|_| identifier("a")).into_iter().collect(),
                held,
            });
        }
        drop(self.running);
        (self.summary, Ok(()))
    }
}
