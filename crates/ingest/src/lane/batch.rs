//! Commands that will share a lane's next commit.

use std::sync::Arc;

use domain::{
    posting::Answer,
    usecase::{Batch, IngestError},
};
use kernel::StoreError;
use runtime::waits;
use tokio::time::sleep;

use super::{
    context::{Context, decide},
    in_flight::Rows,
    job::{Job, failed, in_doubt, refuse},
    retry::RetryQueue,
};

/// How often a batch is decided again as a whole after conflicts.
const DECIDED_AGAIN: usize = 4;

pub(super) struct OpenBatch {
    batch: Batch,
    jobs: Vec<Job>,
    /// Final answers, kept to be sent together. Sending one wakes a client's thread, which could
    /// take the processor from the lane.
    answered: Vec<(Job, Result<Answer, IngestError>)>,
    loads: usize,
}

impl OpenBatch {
    pub fn new(context: &Context) -> Self {
        Self {
            batch: context.batch(),
            jobs: Vec::new(),
            answered: Vec::new(),
            loads: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn is_shared(&self) -> bool {
        self.loads > 1
    }

    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Whether a command must wait for the batch's commit.
    pub fn waits(&self, job: &Job) -> bool {
        !job.is_dry_run && self.batch.has(&job.put.identifier)
    }

    /// Loads the state for more commands. After a failure they are answered, or run alone.
    pub async fn load(
        &mut self,
        context: &Context,
        retries: &Arc<RetryQueue>,
        jobs: Vec<Job>,
    ) -> Vec<Job> {
        if self.is_empty() {
            *self = Self::new(context);
        }
        self.loads += 1;
        let puts: Vec<_> = jobs.iter().map(|job| &*job.put).collect();
        match context.load(&mut self.batch, &puts).await {
            Ok(()) => return jobs,
            // A read waits for no row, only for a locked table.
            Err(error @ (StoreError::Unavailable(_) | StoreError::Locked(_))) => {
                refuse(jobs, &error);
            }
            // One of the commands is the cause; it is found when each runs alone.
            Err(error) => {
                tracing::debug!(%error, commands = jobs.len(), "a batch could not be read");
                retries.admit(jobs);
            }
        }
        Vec::new()
    }

    pub fn decide(&mut self, context: &Context, retries: &Arc<RetryQueue>, job: Job) {
        let now = (context.clock)();
        let decided = match decide(&self.batch, &job.put, now) {
            Ok(decided) => decided,
            Err(error) => return self.answered.push((job, Err(failed(error)))),
        };
        if job.is_dry_run {
            let answer = decided.map(|decision| decision.answer);
            return self.answered.push((job, answer.map_err(IngestError::from)));
        }
        if retries.takes(&job, &self.batch, decided.as_ref().ok()) {
            return retries.admit([job]);
        }
        if let Some(answer) = self.batch.record(&job.put, decided, now) {
            self.answered.push((job, answer.map_err(IngestError::from)));
        } else {
            if let Some(lease) = job.lease {
                self.batch.require(lease);
            }
            self.jobs.push(job);
        }
    }

    /// Sends the final answers.
    pub fn release(&mut self) {
        for (job, answer) in self.answered.drain(..) {
            job.answer(answer);
        }
    }

    pub fn rows(&self) -> Rows {
        let jobs = self.jobs.iter();
        Rows {
            postings: jobs.map(|job| job.put.identifier.clone()).collect(),
            companies: self.batch.writes().companies.keys().copied().collect(),
        }
    }

    /// Commits the batch and answers its commands. After a conflict the whole batch is decided
    /// again, a few times: if several processes write the same postings, each round commits one
    /// process's batch. After that, the batch's commands are retried alone.
    pub async fn commit(mut self, context: &Context, retries: &Arc<RetryQueue>) {
        let mut waits = waits::after_conflicts().take(DECIDED_AGAIN);
        // The clients of a late batch already have their 503.
        while !self.jobs.iter().all(Job::is_late) {
            let batch = std::mem::replace(&mut self.batch, context.batch());
            let jobs = std::mem::take(&mut self.jobs);
            let (answers, committed) = context.commit(batch).await;
            let error = match committed {
                Ok(()) => {
                    for (job, answer) in jobs.into_iter().zip(answers) {
                        job.answer(answer.map_err(IngestError::from));
                    }
                    break;
                }
                // A retry could find our own insert and answer 200 instead of 201.
                Err(StoreError::InDoubt(why)) => {
                    for (job, answer) in jobs.into_iter().zip(answers) {
                        job.answer(Err(in_doubt(&why, answer)));
                    }
                    break;
                }
                Err(error) => error,
            };
            let is_conflict = error == StoreError::Conflict && jobs.len() > 1;
            let Some(wait) = waits.next().filter(|_| is_conflict) else {
                fail(jobs, &error, retries);
                break;
            };
            sleep(wait).await;
            for job in self.load(context, retries, jobs).await {
                self.decide(context, retries, job);
            }
            self.release();
        }
    }
}

fn fail(jobs: Vec<Job>, error: &StoreError, retries: &Arc<RetryQueue>) {
    match error {
        StoreError::Unavailable(_) | StoreError::Broken(_) if jobs.len() == 1 => {
            refuse(jobs, error);
        }
        _ => {
            tracing::debug!(%error, commands = jobs.len(), "a batch is run one by one");
            retries.retry(jobs);
        }
    }
}
