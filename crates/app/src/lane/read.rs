//! The first stage: one read for a batch, and an answer to every dry run and every push that
//! changes nothing.

use std::{collections::HashSet, sync::Arc};

use domain::{store::StoreError, usecase::IngestError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Job, blocked::BlockedCommands, run::Runner, snapshot::Snapshot};

/// The task of the first stage.
pub(super) struct Reader {
    runner: Arc<Runner>,
    blocked: Arc<BlockedCommands>,
    batch: usize,
    pass_on: mpsc::UnboundedSender<Vec<Job>>,
}

impl Reader {
    pub fn new(
        runner: Arc<Runner>,
        blocked: Arc<BlockedCommands>,
        batch: usize,
        pass_on: mpsc::UnboundedSender<Vec<Job>>,
    ) -> Self {
        Self {
            runner,
            blocked,
            batch,
            pass_on,
        }
    }

    /// Reads batches until it is stopped and its queue is empty.
    pub async fn run(self, mut waiting: mpsc::UnboundedReceiver<Job>, stop: CancellationToken) {
        let mut jobs = Vec::with_capacity(self.batch);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled(), if !waiting.is_closed() => waiting.close(),
                taken = waiting.recv_many(&mut jobs, self.batch) => {
                    if taken == 0 {
                        return;
                    }
                    let batch: Vec<_> = jobs.drain(..).filter(|job| !job.is_late()).collect();
                    if !batch.is_empty() {
                        self.read(batch).await;
                    }
                    self.runner.note_read(taken);
                }
            }
        }
    }

    async fn read(&self, jobs: Vec<Job>) {
        let epoch = self.runner.epoch();
        let puts: Vec<_> = jobs.iter().map(|job| &*job.put).collect();
        let mut known = match self.runner.load(&puts).await {
            Ok(known) => Some(known),
            // A read waits for no row, only for a table that is locked as a whole.
            Err(StoreError::Unavailable(why) | StoreError::Locked(why)) => {
                for job in jobs {
                    job.answer(Err(IngestError::Unavailable(why.clone())));
                }
                return;
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
        if changes.is_empty() {
            return;
        }
        if let Some(known) = &mut known {
            let identifiers: HashSet<_> = changes.iter().map(|job| &job.put.identifier).collect();
            let is_repeated = identifiers.len() < changes.len();
            for job in &mut changes {
                let snapshot = Snapshot::extract(known, &job.put, is_repeated, epoch);
                job.snapshot = Some(Box::new(snapshot));
            }
        }
        // The writer ends only after this stage.
        let _ = self.pass_on.send(changes);
    }
}
