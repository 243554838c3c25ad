//! The second stage: one commit for a batch, and if that fails, one for each of its commands.

use std::{collections::VecDeque, sync::Arc};

use domain::{
    posting::Answer,
    store::StoreError,
    usecase::{Answers, IngestError},
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};

use super::{Job, found::Written, run::Runner, unavailable};
use crate::waits;

/// Commits batches.
pub(super) struct Writer {
    runner: Arc<Runner>,
    batch: usize,
}

impl Writer {
    pub fn new(runner: Arc<Runner>, batch: usize) -> Self {
        Self { runner, batch }
    }

    /// Writes until the first stage has ended and nothing waits any more.
    pub async fn run(self, mut changes: mpsc::UnboundedReceiver<Vec<Job>>) {
        let mut waiting = VecDeque::new();
        let mut written = Written::default();
        loop {
            if waiting.is_empty() {
                let Some(first) = changes.recv().await else {
                    return;
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
        let (mut known, again) = written.known(&mut jobs);
        if !again.is_empty() {
            match self.runner.load(&again).await {
                Ok(loaded) => {
                    known.postings.extend(loaded.postings);
                    known.companies.extend(loaded.companies);
                }
                // It would not be otherwise for each of them.
                Err(StoreError::Unavailable(why)) => return refuse(jobs, &why),
                Err(error) => return self.one_by_one(jobs, error, written).await,
            }
        }
        let puts: Vec<_> = jobs.iter().map(|job| &job.put).collect();
        let result = self.runner.commit(&puts, known).await;
        written.note(&jobs, self.runner.commits());
        match result {
            Ok(answers) => {
                for (job, answer) in jobs.into_iter().zip(answers) {
                    job.answer(answer.map_err(IngestError::from));
                }
            }
            // Run again, one would find what it wrote itself, and answer that it was there.
            Err(StoreError::InDoubt(why)) => refuse(jobs, &why),
            Err(error) => self.one_by_one(jobs, error, written).await,
        }
    }

    /// Carries the commands of a batch that failed out by themselves.
    async fn one_by_one(&self, jobs: Vec<Job>, error: StoreError, written: &mut Written) {
        tracing::debug!(%error, commands = jobs.len(), "a batch is run again one by one");
        let mut failure = (jobs.len() == 1).then_some(error);
        for job in jobs {
            let answer = self.single(&job, failure.take()).await;
            written.note([&job], self.runner.commits());
            job.answer(answer);
        }
    }

    /// Carries one command out, again after each conflict until its deadline. `failure` is how
    /// it failed already.
    async fn single(
        &self,
        job: &Job,
        mut failure: Option<StoreError>,
    ) -> Result<Answer, IngestError> {
        let mut waits = waits::after_conflicts();
        loop {
            let error = match failure.take() {
                Some(error) => error,
                None if job.is_late() => return Err(unavailable("it took too long")),
                None => match self.runner.ingest(&[&job.put]).await {
                    Ok(answers) => return only(answers),
                    Err(error) => error,
                },
            };
            match error {
                StoreError::Conflict => {
                    let wait = waits.next().unwrap_or_default();
                    if Instant::now() + wait >= job.deadline {
                        return Err(unavailable("others kept changing the same posting"));
                    }
                    sleep(wait).await;
                }
                StoreError::Unavailable(why) | StoreError::InDoubt(why) => {
                    return Err(IngestError::Unavailable(why));
                }
                StoreError::Broken(why) => return Err(IngestError::Broken(why)),
            }
        }
    }
}

fn refuse(jobs: Vec<Job>, why: &str) {
    for job in jobs {
        job.answer(Err(unavailable(why)));
    }
}

fn only(answers: Answers) -> Result<Answer, IngestError> {
    match answers.into_iter().next() {
        Some(answer) => answer.map_err(IngestError::from),
        None => Err(IngestError::Broken("a command got no answer".to_owned())),
    }
}
