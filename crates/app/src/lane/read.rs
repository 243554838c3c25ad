//! The first stage: one read for a batch, and an answer to every dry run and every push that
//! changes nothing.

use std::{collections::HashMap, sync::Arc};

use domain::usecase::IngestError;
use futures_util::{StreamExt as _, stream::FuturesOrdered};
use kernel::{SourceIdentifier, StoreError};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    blocked::BlockedCommands,
    job::{Job, attach_snapshots},
    run::Runner,
    snapshot::Snapshot,
};

/// The task of the first stage.
pub(super) struct Reader {
    runner: Arc<Runner>,
    blocked: Arc<BlockedCommands>,
    pass_on: mpsc::UnboundedSender<Vec<Job>>,
}

/// The outcome of a read.
struct Done {
    commands: usize,
    identifiers: Vec<SourceIdentifier>,
    /// Those that have to be committed.
    changes: Vec<Job>,
}

/// The commands that are being read or are about to be. A guess must not overtake one of its
/// posting.
#[derive(Default)]
struct BeingRead(HashMap<SourceIdentifier, usize>);

impl BeingRead {
    fn add(&mut self, identifier: &SourceIdentifier) {
        *self.0.entry(identifier.clone()).or_default() += 1;
    }

    fn end(&mut self, identifiers: &[SourceIdentifier]) {
        for identifier in identifiers {
            if let Some(reads) = self.0.get_mut(identifier) {
                *reads -= 1;
                if *reads == 0 {
                    self.0.remove(identifier);
                }
            }
        }
    }

    fn has(&self, identifier: &SourceIdentifier) -> bool {
        self.0.contains_key(identifier)
    }
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
        let (mut taken, mut unsure) = (Vec::new(), Vec::new());
        let mut reads = FuturesOrdered::new();
        let mut being_read = BeingRead::default();
        let mut is_open = true;
        let mut last = Instant::now();
        while is_open || !unsure.is_empty() || !reads.is_empty() {
            let (is_far, due) = (pace.is_far(), last + pace.between_reads());
            let is_free = reads.len() < pace.reads();
            let may_read = is_free && (reads.is_empty() || due <= Instant::now());
            if may_read && !unsure.is_empty() {
                last = Instant::now();
                let jobs: Vec<Job> = std::mem::take(&mut unsure);
                reads.push_back(self.read(jobs));
                continue;
            }
            let may_take = may_read || is_far && unsure.len() < pace.batch();
            tokio::select! {
                biased;
                () = stop.cancelled(), if !waiting.is_closed() => waiting.close(),
                Some(done) = reads.next(), if !reads.is_empty() => {
                    let done: Done = done;
                    being_read.end(&done.identifiers);
                    self.finish(done);
                }
                count = waiting.recv_many(&mut taken, pace.batch()), if is_open && may_take => {
                    is_open = count > 0;
                    self.guess(&mut taken, &mut unsure, &mut being_read);
                }
                () = sleep_until(due), if is_free && !may_read && !unsure.is_empty() => {}
            }
        }
    }

    /// Passes on the commands that are guessed to be for new postings, and leaves the others to be
    /// read.
    fn guess(&self, jobs: &mut Vec<Job>, unsure: &mut Vec<Job>, being_read: &mut BeingRead) {
        let read = self.runner.begin_read();
        let mut guessed = Vec::new();
        for mut job in jobs.drain(..) {
            let identifier = &job.put.identifier;
            let is_free = !job.is_dry_run && !being_read.has(identifier);
            let company = is_free.then(|| self.runner.guess(&job.put)).flatten();
            if let Some(company) = company {
                job.snapshot = Some(Box::new(Snapshot::guess(company, &read)));
                guessed.push(job);
            } else {
                being_read.add(identifier);
                unsure.push(job);
            }
        }
        if !guessed.is_empty() {
            self.finish(Done {
                commands: guessed.len(),
                identifiers: Vec::new(),
                changes: guessed,
            });
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
        let identifiers = jobs.iter().map(|job| job.put.identifier.clone()).collect();
        jobs.retain(|job| !job.is_late());
        let changes = if jobs.is_empty() {
            jobs
        } else {
            self.changes_among(jobs).await
        };
        Done {
            commands,
            identifiers,
            changes,
        }
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
            if self.runner.pace().is_far() {
                self.runner.guesses().learn(known, changes.len());
            }
            attach_snapshots(known, &mut changes, &read);
        }
        changes
    }
}
