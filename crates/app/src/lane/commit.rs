//! One commit for a batch, and if that fails, one for each of its commands. A command that waits
//! for a row which another transaction holds locked leaves the lane.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    company::Company,
    posting::Answer,
    store::Known,
    usecase::{Answers, IngestError},
};
use kernel::{CompanyId, StoreError};
use tokio::time::{Instant, sleep};

use super::{
    blocked::BlockedCommands,
    job::{Job, TOO_LONG, attach_snapshots, only, unavailable},
    run::{Decided, Runner},
};
use crate::waits;

/// Decides and commits batches.
pub(super) struct Committer {
    runner: Arc<Runner>,
    blocked: Arc<BlockedCommands>,
}

/// A batch that is ready to be committed.
pub(super) struct Batch {
    jobs: Vec<Job>,
    /// Commands that need a row which is remembered as locked. They are queued as blocked after
    /// the commit, because they may be for the same postings.
    held: Vec<Job>,
    /// A failure is one of the decision.
    pub decided: Result<Decided, StoreError>,
    /// The companies of guesses, if there are any among the commands.
    guessed: Vec<CompanyId>,
}

impl Batch {
    /// Has the commit check the companies that guesses were decided on.
    pub fn on(mut self, assumed: BTreeMap<CompanyId, Company>) -> Self {
        self.guessed = assumed.keys().copied().collect();
        if let Ok(decided) = &mut self.decided {
            // Whatever else was decided on a guess stands or falls with the posting it makes.
            decided.writes.assumed = assumed;
        }
        self
    }
}

impl Committer {
    pub fn new(runner: Arc<Runner>, blocked: Arc<BlockedCommands>) -> Self {
        Self { runner, blocked }
    }

    /// Decides a batch on state that was read, but for the commands that have to wait for a row.
    pub fn decide(&self, jobs: Vec<Job>, known: Known) -> Batch {
        let (jobs, held) = self.blocked.split(jobs, &known);
        let puts: Vec<_> = jobs.iter().map(|job| &*job.put).collect();
        let decided = self.runner.decide(&puts, known);
        Batch {
            jobs,
            held,
            decided,
            guessed: Vec::new(),
        }
    }

    /// Commits a batch, and answers its commands; gives those back that have to be committed on
    /// what was read instead of guessed.
    pub async fn commit(&self, mut batch: Batch) -> Vec<Job> {
        let companies = std::mem::take(&mut batch.guessed);
        let guesses = self.runner.guesses();
        match self.attempt(batch).await {
            Ok(()) if companies.is_empty() => {}
            Ok(()) => guesses.were_right(),
            Err((jobs, StoreError::Conflict)) if !companies.is_empty() => {
                guesses.were_wrong(companies.into_iter());
                return self.read_again(jobs).await;
            }
            Err((jobs, StoreError::Locked(why))) => self.retry_unlocked(jobs, why).await,
            Err((jobs, error)) => self.one_by_one(jobs, error).await,
        }
        Vec::new()
    }

    /// Reads commands again, and gives those back that were not answered.
    pub async fn read_again(&self, mut jobs: Vec<Job>) -> Vec<Job> {
        let read = self.runner.begin_read();
        let puts: Vec<_> = jobs.iter().map(|job| &*job.put).collect();
        match self.runner.load(&puts).await {
            Ok(mut known) => {
                attach_snapshots(&mut known, &mut jobs, &read);
                return jobs;
            }
            // Each of them alone would fail the same way.
            Err(StoreError::Unavailable(why) | StoreError::Locked(why)) => refuse(jobs, &why),
            Err(error) => self.one_by_one(jobs, error).await,
        }
        Vec::new()
    }

    /// Commits a batch once. A failure gives all commands back.
    async fn attempt(&self, batch: Batch) -> Result<(), (Vec<Job>, StoreError)> {
        let Batch {
            mut jobs,
            held,
            decided,
            ..
        } = batch;
        let result = match decided {
            Ok(decided) => self.runner.write(decided).await,
            Err(error) => Err(error),
        };
        match result {
            Ok(answers) => answer(jobs, answers),
            // Outcome unknown: a retry could find our own insert and answer 200 instead of 201.
            Err(StoreError::InDoubt(why)) => refuse(jobs, &why),
            Err(error) => {
                // In order: a blocked command may come after a failed one for the same posting.
                jobs.extend(held);
                return Err((jobs, error));
            }
        }
        self.blocked.admit(held);
        Ok(())
    }

    /// Retries a batch that ran into a lock: once without the commands that need a row which is
    /// visibly locked, or else one by one.
    async fn retry_unlocked(&self, jobs: Vec<Job>, why: String) {
        let puts: Vec<_> = jobs.iter().map(|job| &*job.put).collect();
        let result = match self.runner.find_held(&puts).await {
            Ok((held, known)) if !held.is_empty() => {
                self.blocked.remember(&held, &known);
                self.attempt(self.decide(jobs, known)).await
            }
            _ => Err((jobs, StoreError::Locked(why))),
        };
        if let Err((jobs, error)) = result {
            self.one_by_one(jobs, error).await;
        }
    }

    /// Runs the commands of a failed batch one by one. One that runs into a lock leaves the lane,
    /// and so do later ones for its posting.
    async fn one_by_one(&self, jobs: Vec<Job>, error: StoreError) {
        tracing::debug!(%error, commands = jobs.len(), "a batch is run again one by one");
        let mut failure = (jobs.len() == 1).then_some(error);
        for job in jobs {
            if self.blocked.has(&job.put.identifier) {
                self.blocked.admit([job]);
                continue;
            }
            if let Some(answer) = self.single(&job, failure.take()).await {
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

fn answer(jobs: Vec<Job>, answers: Answers) {
    for (job, answer) in jobs.into_iter().zip(answers) {
        job.answer(answer.map_err(IngestError::from));
    }
}

fn refuse(jobs: Vec<Job>, why: &str) {
    for job in jobs {
        job.answer(Err(unavailable(why)));
    }
}
