//! Commands that are retried alone: the commands of a failed batch, and commands that need a row
//! locked by another transaction.
//!
//! These commands have left batch and lane, so others continue. Commands for one posting are
//! retried in order, each until success or its deadline. The numbers of concurrent retries and of
//! commands waiting for locks are limited: other commands need the remaining connections and slots.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{
    decision::Decided,
    posting::Answer,
    usecase::{Batch, IngestError},
};
use kernel::{CompanyId, SourceIdentifier, StoreError};
use runtime::waits;
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep_until, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    context::{Context, decide},
    job::{Job, STOPPING, TOO_LONG, failed, in_doubt, unavailable},
    locked::LockedRows,
};
use crate::keyed_queue::KeyedQueue;

/// The number of concurrent retries, each on its own connection.
const TRIES: usize = 2;
/// The limits of commands that wait for locked rows: in total, and for one posting.
const WAITING: usize = 256;
const WAITING_FOR_ONE: usize = 32;

const LOCKED: &str = "another transaction holds a lock on what it writes";

pub(super) struct RetryQueue {
    context: Arc<Context>,
    tries: Semaphore,
    state: Mutex<State>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

#[derive(Default)]
struct State {
    jobs: KeyedQueue<SourceIdentifier, Job>,
    locked: LockedRows,
}

/// The result of an attempt. After a store error it is repeated, if that may help.
type Tried = Result<Result<Answer, IngestError>, StoreError>;

impl RetryQueue {
    pub fn new(context: Arc<Context>) -> Arc<Self> {
        Arc::new(Self {
            context,
            tries: Semaphore::new(TRIES),
            state: Mutex::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a command must run alone: because earlier commands for its posting run alone, or
    /// because a row that it needs counts as locked.
    pub fn takes(&self, job: &Job, batch: &Batch, decision: Option<&Decided>) -> bool {
        let state = self.state();
        let writes = decision.filter(|decision| decision.change.is_some());
        state.jobs.has(&job.put.identifier)
            || writes.is_some_and(|decision| {
                state.locked.has_posting(&job.put.identifier)
                    || state.locked.has_companies()
                        && state.locked.conflicts_with(&batch.locks(decision))
            })
    }

    /// Takes commands, in order. Refuses commands for which there is no room.
    pub fn admit(self: &Arc<Self>, jobs: impl IntoIterator<Item = Job>) {
        for job in jobs {
            let mut state = self.state();
            state.locked.forget_old();
            let of_posting = state.jobs.waiting_for(&job.put.identifier);
            if state.jobs.len() >= WAITING || of_posting >= WAITING_FOR_ONE {
                drop(state);
                job.answer(Err(unavailable("too many wait for locked rows")));
            } else {
                self.push(&mut state, job);
            }
        }
    }

    pub fn retry(self: &Arc<Self>, jobs: Vec<Job>) {
        let mut state = self.state();
        for job in jobs {
            self.push(&mut state, job);
        }
    }

    fn push(self: &Arc<Self>, state: &mut State, job: Job) {
        state.jobs.push(job.put.identifier.clone(), job);
        while let Some(job) = state.jobs.next() {
            self.tasks.spawn(Arc::clone(self).run(job));
        }
    }

    async fn run(self: Arc<Self>, mut job: Job) {
        loop {
            let identifier = job.put.identifier.clone();
            let answer = self.try_until_deadline(&job).await;
            job.answer(answer);
            let next = {
                let mut state = self.state();
                state.jobs.end(&identifier);
                state.jobs.next()
            };
            match next {
                Some(next) => job = next,
                None => return,
            }
        }
    }

    async fn try_until_deadline(&self, job: &Job) -> Result<Answer, IngestError> {
        let (mut conflicts, mut locks) = (waits::after_conflicts(), waits::after_locks());
        loop {
            let error = match self.attempt(job).await {
                Ok(answer) => return answer,
                Err(error) => error,
            };
            let waits = match error {
                StoreError::Conflict => &mut conflicts,
                StoreError::Locked(_) => &mut locks,
                other => return Err(failed(other)),
            };
            let again = Instant::now() + waits.next().unwrap_or_default();
            if self.stop.is_cancelled() {
                return Err(unavailable(STOPPING));
            }
            if again >= job.deadline && error == StoreError::Conflict {
                return Err(failed(error));
            }
            tokio::select! {
                () = sleep_until(again.min(job.deadline)) => {}
                () = self.stop.cancelled() => {}
            }
        }
    }

    /// Runs a command alone, without waiting for visibly locked rows.
    async fn attempt(&self, job: &Job) -> Tried {
        let permit = timeout_at(job.deadline, self.tries.acquire()).await;
        if permit.is_err() || job.is_late() {
            return Ok(Err(unavailable(TOO_LONG)));
        }
        let mut batch = self.context.batch();
        self.context.load(&mut batch, &[&job.put]).await?;
        let now = (self.context.clock)();
        let decided = decide(&batch, &job.put, now)?;
        if job.is_dry_run {
            return Ok(decided.map(|decision| decision.answer).map_err(Into::into));
        }
        let locks = decided.as_ref().map(|decision| batch.locks(decision));
        let locks = locks.unwrap_or_default();
        let held = self.context.held(&locks).await?;
        if !held.is_empty() {
            self.state().locked.remember(&held, batch.snapshot());
            return Err(StoreError::Locked(LOCKED.to_owned()));
        }
        let is_new = |id: &CompanyId| !batch.snapshot().companies.contains_key(id);
        let new: Vec<_> = locks.companies.into_iter().filter(is_new).collect();
        if let Some(answer) = batch.record(&job.put, decided, now) {
            return Ok(answer.map_err(Into::into));
        }
        job.lease.into_iter().for_each(|it| batch.require(it));
        let (answers, committed) = self.context.commit(batch).await;
        if matches!(committed, Err(StoreError::Locked(_))) {
            let identifier = &job.put.identifier;
            self.state().locked.remember_unseen(identifier, &new);
        }
        let lost = || IngestError::Broken("a command got no answer".to_owned());
        let answer = answers.into_iter().next();
        match committed {
            Err(StoreError::InDoubt(why)) => Ok(Err(
                answer.map_or_else(lost, |answer| in_doubt(&why, answer))
            )),
            Err(error) => Err(error),
            Ok(()) => Ok(answer.map_or_else(|| Err(lost()), |answer| answer.map_err(Into::into))),
        }
    }

    /// Tries each command at most one more time, and waits for all answers.
    pub async fn end(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}
