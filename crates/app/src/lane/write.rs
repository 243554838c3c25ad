//! The second stage: one commit for a batch, and if that fails, one for each of its commands.
//! A command that waits for a row which another transaction holds locked leaves the lane.

use std::{collections::VecDeque, sync::Arc};

use domain::{
    posting::Answer,
    store::{Known, StoreError},
    usecase::{Answers, IngestError},
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};

use super::{
    Job, TOO_LONG, blocked::BlockedCommands, only, run::Runner, snapshot::RecentWrites,
    turns::Turns, unavailable,
};
use crate::waits;

/// The task of the second stage.
pub(super) struct Writer {
    runner: Arc<Runner>,
    blocked: Arc<BlockedCommands>,
    batch: usize,
    /// Of a lane that gives way to others.
    turns: Option<Arc<Turns>>,
}

impl Writer {
    pub fn new(
        runner: Arc<Runner>,
        blocked: Arc<BlockedCommands>,
        batch: usize,
        turns: Option<Arc<Turns>>,
    ) -> Self {
        Self {
            runner,
            blocked,
            batch,
            turns,
        }
    }

    /// Commits batches until the first stage has ended and its queue is empty.
    pub async fn run(self, mut changes: mpsc::UnboundedReceiver<Vec<Job>>) {
        let mut waiting = VecDeque::new();
        let mut written = RecentWrites::default();
        loop {
            if waiting.is_empty() {
                let Some(first) = changes.recv().await else {
                    return self.blocked.end().await;
                };
                waiting.extend(first);
            }
            self.take(&mut changes, &mut waiting);
            // A batch that is being read right now shares the commit instead of waiting for its
            // end.
            if waiting.len() < self.batch && self.runner.next_read().await {
                self.take(&mut changes, &mut waiting);
            }
            match &self.turns {
                None => {
                    self.write_next(&mut waiting, self.batch, &mut written)
                        .await;
                }
                Some(turns) => {
                    let turn = turns.next().await;
                    let batch = turn.batch(self.batch);
                    self.write_next(&mut waiting, batch, &mut written).await;
                    turn.end().await;
                }
            }
        }
    }

    /// Commits the next batch of those that wait.
    async fn write_next(
        &self,
        waiting: &mut VecDeque<Job>,
        batch: usize,
        written: &mut RecentWrites,
    ) {
        let count = batch.min(waiting.len());
        let jobs = waiting.drain(..count).filter(|job| !job.is_late());
        let jobs: Vec<_> = jobs.collect();
        if !jobs.is_empty() {
            self.write(jobs, written).await;
        }
    }

    /// Moves commands from the channel to the waiting ones until there is a batch of them.
    fn take(&self, changes: &mut mpsc::UnboundedReceiver<Vec<Job>>, waiting: &mut VecDeque<Job>) {
        while waiting.len() < self.batch
            && let Ok(more) = changes.try_recv()
        {
            waiting.extend(more);
        }
    }

    async fn write(&self, mut jobs: Vec<Job>, written: &mut RecentWrites) {
        written.note_all(self.blocked.tried());
        let (mut known, again) = written.known(&mut jobs);
        if !again.is_empty() {
            match self.runner.load(&again).await {
                Ok(loaded) => {
                    known.postings.extend(loaded.postings);
                    known.companies.extend(loaded.companies);
                }
                // Each of them alone would fail the same way.
                Err(StoreError::Unavailable(why) | StoreError::Locked(why)) => {
                    return refuse(jobs, &why);
                }
                Err(error) => return self.one_by_one(jobs, error, written).await,
            }
        }
        match self.commit(jobs, known, written).await {
            Ok(()) => {}
            Err((jobs, StoreError::Locked(why))) => self.retry_unlocked(jobs, why, written).await,
            Err((jobs, error)) => self.one_by_one(jobs, error, written).await,
        }
    }

    /// Commits a batch but for the commands that need a row which is remembered as locked. Those
    /// are queued as blocked after the commit, because they may be for the same postings. A failure
    /// gives all commands back.
    async fn commit(
        &self,
        jobs: Vec<Job>,
        known: Known,
        written: &mut RecentWrites,
    ) -> Result<(), (Vec<Job>, StoreError)> {
        let (jobs, held) = self.blocked.split(jobs, &known);
        let puts: Vec<_> = jobs.iter().map(|job| &*job.put).collect();
        let result = if puts.is_empty() {
            Ok(Answers::new())
        } else {
            self.runner.commit(&puts, known).await
        };
        written.note(&jobs, self.runner.epoch());
        match result {
            Ok(answers) => {
                for (job, answer) in jobs.into_iter().zip(answers) {
                    job.answer(answer.map_err(IngestError::from));
                }
            }
            // Outcome unknown: a retry could find our own insert and answer 200 instead of 201.
            Err(StoreError::InDoubt(why)) => refuse(jobs, &why),
            Err(error) => {
                // In order: a blocked command may come after a failed one for the same posting.
                let mut all = jobs;
                all.extend(held);
                return Err((all, error));
            }
        }
        self.blocked.admit(held);
        Ok(())
    }

    /// Retries a batch that ran into a lock: once without the commands that need a row which is
    /// visibly locked, or else one by one.
    async fn retry_unlocked(&self, jobs: Vec<Job>, why: String, written: &mut RecentWrites) {
        let puts: Vec<_> = jobs.iter().map(|job| &*job.put).collect();
        let result = match self.runner.find_held(&puts).await {
            Ok((held, known)) if !held.is_empty() => {
                self.blocked.remember(&held, &known);
                self.commit(jobs, known, written).await
            }
            _ => Err((jobs, StoreError::Locked(why))),
        };
        if let Err((jobs, error)) = result {
            self.one_by_one(jobs, error, written).await;
        }
    }

    /// Runs the commands of a failed batch one by one. One that runs into a lock leaves the lane,
    /// and so do later ones for its posting.
    async fn one_by_one(&self, jobs: Vec<Job>, error: StoreError, written: &mut RecentWrites) {
        tracing::debug!(%error, commands = jobs.len(), "a batch is run again one by one");
        let mut failure = (jobs.len() == 1).then_some(error);
        for job in jobs {
            if self.blocked.has(&job.put.identifier) {
                self.blocked.admit([job]);
                continue;
            }
            let result = self.single(&job, failure.take()).await;
            written.note([&job], self.runner.epoch());
            if let Some(answer) = result {
                job.answer(answer);
            } else {
                self.blocked.remember_unseen_lock(&job.put).await;
                self.blocked.admit([job]);
            }
        }
    }

    /// Runs one command, and again after each conflict until its deadline; `None` when it ran into
    /// a lock. `failure` is the error of an attempt that was made already.
    async fn single(
        &self,
        job: &Job,
        mut failure: Option<StoreError>,
    ) -> Option<Result<Answer, IngestError>> {
        let mut waits = waits::after_conflicts();
        loop {
            let error = match failure.take() {
                Some(error) => error,
                None if job.is_late() => return Some(Err(unavailable(TOO_LONG))),
                None => match self.runner.ingest(&[&job.put]).await {
                    Ok(answers) => return Some(only(answers)),
                    Err(error) => error,
                },
            };
            match error {
                StoreError::Conflict => {
                    let wait = waits.next().unwrap_or_default();
                    if Instant::now() + wait >= job.deadline {
                        let why = "others kept changing the same posting";
                        return Some(Err(unavailable(why)));
                    }
                    sleep(wait).await;
                }
                StoreError::Unavailable(why) | StoreError::InDoubt(why) => {
                    return Some(Err(IngestError::Unavailable(why)));
                }
                StoreError::Locked(_) => return None,
                StoreError::Broken(why) => return Some(Err(IngestError::Broken(why))),
            }
        }
    }
}

fn refuse(jobs: Vec<Job>, why: &str) {
    for job in jobs {
        job.answer(Err(unavailable(why)));
    }
}
