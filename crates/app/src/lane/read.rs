//! The first stage: one read for a batch, and an answer to every dry run and every push that
//! changes nothing.

use std::sync::Arc;

use domain::{store::StoreError, usecase::IngestError};
use futures_util::{StreamExt as _, stream::FuturesOrdered};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{Job, blocked::BlockedCommands, run::Runner, snapshot::Snapshot};

/// The task of the first stage.
pub(super) struct Reader {
    runner: Arc<Runner>,
    blocked: Arc<BlockedCommands>,
    pass_on: mpsc::UnboundedSender<Vec<Job>>,
}

/// The outcome of a read.
struct Done {
    commands: usize,
    /// Those that have to be committed.
    changes: Vec<Job>,
}

impl Reader {
    pub fn new(
        runner: Arc<Runner>,
        blocked: Arc<BlockedCommands>,
        pass_on: mpsc::UnboundedSender<Vec<Job>>,
    ) -> Self {
        Self {
            runner,
            blocked,
            pass_on,
        }
    }

    /// Reads batches until it is stopped and its queue is empty. What is read goes on in the order
    /// in which it came, though reads may overlap.
    pub async fn run(self, mut waiting: mpsc::UnboundedReceiver<Job>, stop: CancellationToken) {
        let pace = self.runner.pace();
        let mut jobs = Vec::new();
        let mut reads = FuturesOrdered::new();
        let mut is_open = true;
        let mut last = Instant::now();
        while is_open || !reads.is_empty() {
            let due = last + pace.between_reads();
            let is_free = is_open && reads.len() < pace.reads();
            let may_read = is_free && (reads.is_empty() || due <= Instant::now());
            tokio::select! {
                biased;
                () = stop.cancelled(), if !waiting.is_closed() => waiting.close(),
                Some(done) = reads.next(), if !reads.is_empty() => self.finish(done),
                taken = waiting.recv_many(&mut jobs, pace.batch()), if may_read => {
                    is_open = taken > 0;
                    if is_open {
                        last = Instant::now();
                        reads.push_back(self.read(std::mem::take(&mut jobs)));
                    }
                }
                () = sleep_until(due), if is_free && !may_read => {}
            }
        }
    }

    fn finish(&self, done: Done) {
        if !done.changes.is_empty() {
            // The writer ends only after this stage.
            let _ = self.pass_on.send(done.changes);
        }
        self.runner.note_read(done.commands);
    }

    async fn read(&self, mut jobs: Vec<Job>) -> Done {
        let commands = jobs.len();
        jobs.retain(|job| !job.is_late());
        let changes = if jobs.is_empty() {
            jobs
        } else {
            self.changes_among(jobs).await
        };
        Done { commands, changes }
    }

    /// Reads what commands name, answers those that it can, and gives the others back.
    async fn changes_among(&self, jobs: Vec<Job>) -> Vec<Job> {
        let read = self.runner.begin_read();
        let puts: Vec<_> = jobs.iter().map(|job| &*job.put).collect();
        let mut known = match self.runner.load(&puts).await {
            Ok(known) => Some(known),
            // A read waits for no row, only for a table that is locked as a whole.
            Err(StoreError::Unavailable(why) | StoreError::Locked(why)) => {
                for job in jobs {
                    job.answer(Err(IngestError::Unavailable(why.clone())));
                }
                return Vec::new();
            }
            // One of the commands is the cause; the second stage finds out which.
            Err(error) => {
                tracing::debug!(%error, commands = jobs.len(), "a batch could not be read");
                None
            }
        };
        let mut changes = Vec::with_capacity(jobs.len());
        for job in jobs {
            if job.is_dry_run {
                let answer = self.runner.dry_run(known.as_ref(), &job.put).await;
                job.answer(answer);
                continue;
            }
            let unchanged = known
                .as_ref()
                .filter(|_| !self.blocked.has(&job.put.identifier))
                .and_then(|known| self.runner.unchanged(known, &job.put));
            match unchanged {
                Some(answer) => job.answer(Ok(answer)),
                None => changes.push(job),
            }
        }
        if let Some(known) = &mut known {
            Snapshot::attach(known, &mut changes, &read);
        }
        changes
    }
}
