//! The second stage: one commit for a batch, and if that fails, one for each of its commands.
//! What waits for a row that others hold locked leaves the lane.

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
    Job,
    aside::Aside,
    found::Written,
    run::{Runner, only},
    unavailable,
};
use crate::waits;

/// Commits batches.
pub(super) struct Writer {
    runner: Arc<Runner>,
    aside: Arc<Aside>,
    batch: usize,
}

impl Writer {
    pub fn new(runner: Arc<Runner>, aside: Arc<Aside>, batch: usize) -> Self {
        Self {
            runner,
            aside,
            batch,
        }
    }

    /// Writes until the first stage has ended and nothing waits any more.
    pub async fn run(self, mut changes: mpsc::UnboundedReceiver<Vec<Job>>) {
        let mut waiting = VecDeque::new();
        let mut written = Written::default();
        loop {
            if waiting.is_empty() {
                let Some(first) = changes.recv().await else {
                    return self.aside.end().await;
                };
                waiting.extend(first);
            }
            self.take(&mut changes, &mut waiting);
            // What is being read just now shares the commit instead of waiting for its end.
            if waiting.len() < self.batch && self.runner.next_arrivals().await {
                self.take(&mut changes, &mut waiting);
            }
            let count = self.batch.min(waiting.len());
            let jobs = waiting.drain(..count).filter(|job| !job.is_late());
            let jobs: Vec<_> = jobs.collect();
            if !jobs.is_empty() {
                self.write(jobs, &mut written).await;
            }
        }
    }

    /// Takes what was read meanwhile, up to a batch and what came with it.
    fn take(&self, changes: &mut mpsc::UnboundedReceiver<Vec<Job>>, waiting: &mut VecDeque<Job>) {
        while waiting.len() < self.batch
            && let Ok(more) = changes.try_recv()
        {
            waiting.extend(more);
        }
    }

    async fn write(&self, mut jobs: Vec<Job>, written: &mut Written) {
        written.note_others(self.aside.tried());
        let (mut known, again) = written.known(&mut jobs);
        if !again.is_empty() {
            match self.runner.load(&again).await {
                Ok(loaded) => {
                    known.postings.extend(loaded.postings);
                    known.companies.extend(loaded.companies);
                }
                // It would not be otherwise for each of them.
                Err(StoreError::Unavailable(why) | StoreError::Locked(why)) => {
                    return refuse(jobs, &why);
                }
                Err(error) => return self.one_by_one(jobs, error, written).await,
            }
        }
        match self.commit(jobs, known, written).await {
            Ok(()) => {}
            Err((jobs, StoreError::Locked(why))) => self.without_held(jobs, why, written).await,
            Err((jobs, error)) => self.one_by_one(jobs, error, written).await,
        }
    }

    /// Commits a batch, all but the commands that wait for a row which is taken for locked. They
    /// begin only after it, for they may be for the same postings. Gives back what failed.
    async fn commit(
        &self,
        jobs: Vec<Job>,
        known: Known,
        written: &mut Written,
    ) -> Result<(), (Vec<Job>, StoreError)> {
        let (jobs, held) = self.aside.split(jobs, &known);
        let puts: Vec<_> = jobs.iter().map(|job| &job.put).collect();
        let result = if puts.is_empty() {
            Ok(Answers::new())
        } else {
            self.runner.commit(&puts, known).await
        };
        written.note(&jobs, self.runner.commits());
        match result {
            Ok(answers) => {
                for (job, answer) in jobs.into_iter().zip(answers) {
                    job.answer(answer.map_err(IngestError::from));
                }
            }
            // Run again, one would find what it wrote itself, and answer that it was there.
            Err(StoreError::InDoubt(why)) => refuse(jobs, &why),
            Err(error) => {
                // In their order: what is held may come after what failed.
                let mut all = jobs;
                all.extend(held);
                return Err((all, error));
            }
        }
        self.aside.admit(held);
        Ok(())
    }

    /// Carries a batch out that waited in vain for a row: once more without the commands that need
    /// what is visibly locked, or else one by one.
    async fn without_held(&self, jobs: Vec<Job>, why: String, written: &mut Written) {
        let puts: Vec<_> = jobs.iter().map(|job| &job.put).collect();
        let result = match self.runner.find_held(&puts).await {
            Ok((held, known)) if !held.is_empty() => {
                self.aside.remember(&held, &known);
                self.commit(jobs, known, written).await
            }
            _ => Err((jobs, StoreError::Locked(why))),
        };
        if let Err((jobs, error)) = result {
            self.one_by_one(jobs, error, written).await;
        }
    }

    /// Carries the commands of a batch that failed out by themselves. One that waits for a lock, and
    /// those that come after it, leave the lane.
    async fn one_by_one(&self, jobs: Vec<Job>, error: StoreError, written: &mut Written) {
        tracing::debug!(%error, commands = jobs.len(), "a batch is run again one by one");
        let mut failure = (jobs.len() == 1).then_some(error);
        for job in jobs {
            if self.aside.has(&job.put.identifier) {
                self.aside.admit([job]);
                continue;
            }
            let result = self.single(&job, failure.take()).await;
            written.note([&job], self.runner.commits());
            if let Some(answer) = result {
                job.answer(answer);
            } else {
                self.aside.held_up_by_the_invisible(&job.put).await;
                self.aside.admit([job]);
            }
        }
    }

    /// Carries one command out, again after each conflict until its deadline; `None` when it waits
    /// for a lock. `failure` is how it failed already.
    async fn single(
        &self,
        job: &Job,
        mut failure: Option<StoreError>,
    ) -> Option<Result<Answer, IngestError>> {
        let mut waits = waits::after_conflicts();
        loop {
            let error = match failure.take() {
                Some(error) => error,
                None if job.is_late() => return Some(Err(unavailable("it took too long"))),
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
