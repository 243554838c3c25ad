//! The feed of events: one client that reads it from the start, and many that wait for new events.

mod feed;
mod generator;
mod report;
mod request;
mod waiters;
mod waiting;

use anyhow::Result;

use crate::measure::Backend;
use crate::round::Bench;

pub use self::feed::Read;
pub use self::report::{targets, text};
pub use self::waiting::Waiting;

/// The results on one store.
#[derive(Debug, Default)]
pub struct Events {
    /// Reads of the whole log.
    pub reads: Vec<Read>,
    pub waiting: Waiting,
}

impl Bench<'_> {
    /// Writes at least `events` events, reads all of them `reads` times, then measures waiting.
    pub fn events(&self, backend: Backend, events: u64, reads: u32) -> Result<Events> {
        waiters::allow_open_files()?;
        let name = format!("bench_events_{backend}").to_lowercase();
        let database = self.database(backend, &name)?;
        let installation = self.installation(&database, &name)?;
        let service = installation.serve(&["--no-worker"], &[])?;
        let measured = self
            .reads(backend, &service, events, reads)
            .and_then(|reads| {
                let waiting = self.waiting(backend, &name, &service)?;
                Ok(Events { reads, waiting })
            });
        // If the service has ended, that explains the failure better.
        service.process.check()?;
        drop(service);
        self.forget(backend, &name)?;
        measured
    }
}
