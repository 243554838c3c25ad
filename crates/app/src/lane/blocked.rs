//! Commands that are blocked: another transaction holds a row locked that they have to write.
//!
//! They have left their batch and their lane, so all other commands go on. Each posting with
//! blocked commands has a queue of its own, in which one command after the other is tried alone
//! until it succeeds or its deadline is over. The number of concurrent tries and of blocked
//! commands is limited: the rest of the connections and of the slots is for the other commands.
//!
//! Rows that were found locked are remembered for a moment, so that a batch waits for a row once
//! and not with each push for it.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{
    posting::{Answer, PutPosting},
    store::{Known, RowLocks},
    usecase::IngestError,
};
use kernel::{CompanyId, SourceIdentifier, StoreError};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep_until, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    job::{Job, only, unavailable},
    run::Runner,
};
use crate::waits;

/// Concurrent tries, each on a connection of its own.
const TRIES: usize = 2;
/// Blocked commands at most: in all, and for one posting.
const WAITING: usize = 256;
const WAITING_FOR_ONE: usize = 32;
/// How long a row is assumed to be locked after it was found so.
const MEMORY: Duration = Duration::from_secs(2);

const LOCKED: &str = "another transaction holds a lock on what it writes";

/// The blocked commands of one lane.
pub(super) struct BlockedCommands {
    runner: Arc<Runner>,
    tries: Semaphore,
    state: Mutex<State>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

#[derive(Default)]
struct State {
    /// The blocked commands by posting. A posting whose command is being tried has a queue even if
    /// that is empty.
    queues: HashMap<SourceIdentifier, VecDeque<Job>>,
    waiting: usize,
    postings: Memory<SourceIdentifier>,
    companies: Memory<CompanyId>,
    references: Memory<CompanyId>,
}

/// Rows that are assumed to be locked, each until a point in time.
struct Memory<K>(HashMap<K, Instant>);

impl<K> Default for Memory<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Hash + Eq> Memory<K> {
    fn holds(&self, row: &K) -> bool {
        let until = self.0.get(row);
        until.is_some_and(|until| *until > Instant::now())
    }

    /// Remembers a row; true if it was not remembered before.
    fn note(&mut self, row: K) -> bool {
        self.0.insert(row, Instant::now() + MEMORY).is_none()
    }

    fn forget_old(&mut self) {
        let now = Instant::now();
        self.0.retain(|_, until| *until > now);
    }
}

impl State {
    fn forget_old(&mut self) {
        self.postings.forget_old();
        self.companies.forget_old();
        self.references.forget_old();
    }

    fn remembers_companies(&self) -> bool {
        !(self.companies.0.is_empty() && self.references.0.is_empty())
    }

    fn is_idle(&self) -> bool {
        self.queues.is_empty() && self.postings.0.is_empty() && !self.remembers_companies()
    }

    fn holds_up(&self, locks: &RowLocks) -> bool {
        let mut companies = locks.companies.iter();
        let mut references = locks.references.iter();
        companies.any(|id| self.companies.holds(id))
            || references.any(|id| self.references.holds(id))
    }
}

impl BlockedCommands {
    pub fn new(runner: Arc<Runner>) -> Arc<Self> {
        Arc::new(Self {
            runner,
            tries: Semaphore::new(TRIES),
            state: Mutex::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a posting has blocked commands, which no later one may overtake.
    pub fn has(&self, identifier: &SourceIdentifier) -> bool {
        self.state().queues.contains_key(identifier)
    }

    /// Splits a batch into the commands that are free to be committed, and those that need a row
    /// which is remembered as locked or that come after such a command.
    pub fn split(&self, jobs: Vec<Job>, known: &Known) -> (Vec<Job>, Vec<Job>) {
        let mut state = self.state();
        if state.is_idle() {
            return (jobs, Vec::new());
        }
        state.forget_old();
        let (mut free, mut held): (Vec<Job>, Vec<Job>) = (Vec::new(), Vec::new());
        for job in jobs {
            let identifier = &job.put.identifier;
            let is_held = state.queues.contains_key(identifier)
                || state.postings.holds(identifier)
                || held.iter().any(|held| held.put.identifier == *identifier)
                || state.remembers_companies()
                    && (self.runner.locks(known, &[&job.put]))
                        .is_some_and(|locks| state.holds_up(&locks));
            if is_held { &mut held } else { &mut free }.push(job);
        }
        (free, held)
    }

    /// Remembers rows that are locked.
    pub fn remember(&self, held: &RowLocks, known: &Known) {
        let mut state = self.state();
        state.forget_old();
        let identifiers = known.identifiers();
        for id in &held.postings {
            if let Some(identifier) = identifiers.get(id)
                && state.postings.note(identifier.clone())
            {
                warn("posting", identifier.as_str());
            }
        }
        for id in held.companies.union(&held.references) {
            let website = known.companies.get(id).map(|company| &company.website);
            let is_written = held.companies.contains(id) && state.companies.note(*id);
            let is_referred_to = held.references.contains(id) && state.references.note(*id);
            if is_written || is_referred_to {
                warn("company", website.map_or("", |website| website.as_str()));
            }
        }
    }

    /// Remembers that a command was blocked by a row which is not visible yet: another transaction
    /// is about to insert the posting or its company.
    fn remember_unseen(&self, put: &PutPosting, known: Option<&Known>) {
        let locks = known.and_then(|known| Some((self.runner.locks(known, &[put])?, known)));
        let mut state = self.state();
        state.forget_old();
        if state.postings.note(put.identifier.clone()) {
            warn("posting", put.identifier.as_str());
        }
        if let Some((locks, known)) = locks {
            let is_new = |id: &&CompanyId| !known.companies.contains_key(*id);
            for id in locks.companies.iter().filter(is_new) {
                state.companies.note(*id);
            }
        }
    }

    /// Queues blocked commands in their order; answers those for which there is no room.
    pub fn admit(self: &Arc<Self>, jobs: impl IntoIterator<Item = Job>) {
        for job in jobs {
            if let Err(job) = self.queue(job) {
                job.answer(Err(unavailable("too many wait for locked rows")));
            }
        }
    }

    fn queue(self: &Arc<Self>, job: Job) -> Result<(), Box<Job>> {
        let mut state = self.state();
        let of_posting = state.queues.get(&job.put.identifier).map(VecDeque::len);
        if state.waiting >= WAITING || of_posting.is_some_and(|waiting| waiting >= WAITING_FOR_ONE)
        {
            return Err(Box::new(job));
        }
        state.waiting += 1;
        let identifier = job.put.identifier.clone();
        let queue = state.queues.entry(identifier.clone()).or_default();
        queue.push_back(job);
        if of_posting.is_none() {
            self.tasks.spawn(Arc::clone(self).drain(identifier));
        }
        Ok(())
    }

    /// Tries the commands of one posting, one after the other, until its queue is empty.
    async fn drain(self: Arc<Self>, identifier: SourceIdentifier) {
        while let Some(job) = self.next(&identifier) {
            let answer = self.try_until_deadline(&job).await;
            self.state().waiting -= 1;
            job.answer(answer);
        }
    }

    /// The next command of a queue. An empty queue is removed.
    fn next(&self, identifier: &SourceIdentifier) -> Option<Job> {
        let mut state = self.state();
        let next = state.queues.get_mut(identifier)?.pop_front();
        if next.is_none() {
            state.queues.remove(identifier);
        }
        next
    }

    /// Tries a command until it succeeds or its deadline is over.
    async fn try_until_deadline(&self, job: &Job) -> Result<Answer, IngestError> {
        let mut waits = waits::after_locks();
        loop {
            if self.stop.is_cancelled() {
                return Err(unavailable("the service is stopping"));
            }
            match self.attempt(job).await {
                Ok(answer) => return answer,
                Err(StoreError::Locked(_) | StoreError::Conflict) => {}
                Err(StoreError::Unavailable(why) | StoreError::InDoubt(why)) => {
                    return Err(IngestError::Unavailable(why));
                }
                Err(StoreError::Broken(why)) => return Err(IngestError::Broken(why)),
            }
            let again = Instant::now() + waits.next().unwrap_or_default();
            tokio::select! {
                () = sleep_until(again.min(job.deadline)) => {}
                () = self.stop.cancelled() => {}
            }
        }
    }

    /// Tries a command alone, without waiting for rows that are visibly locked.
    async fn attempt(&self, job: &Job) -> Result<Result<Answer, IngestError>, StoreError> {
        let permit = timeout_at(job.deadline, self.tries.acquire()).await;
        if permit.is_err() || job.is_late() {
            return Ok(Err(unavailable(LOCKED)));
        }
        let puts = [&*job.put];
        let (held, known) = self.runner.find_held(&puts).await?;
        if !held.is_empty() {
            self.remember(&held, &known);
            return Err(StoreError::Locked(LOCKED.to_owned()));
        }
        let result = self.runner.commit(&puts, known).await;
        if matches!(result, Err(StoreError::Locked(_))) {
            self.remember_unseen_lock(&job.put).await;
        }
        result.map(only)
    }

    /// Remembers the rows of a command that another transaction is about to insert.
    pub async fn remember_unseen_lock(&self, put: &PutPosting) {
        let known = self.runner.load(&[put]).await.ok();
        self.remember_unseen(put, known.as_ref());
    }

    /// Lets each blocked command try once more at most, and waits until all are answered.
    pub async fn end(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

fn warn(what: &str, name: &str) {
    tracing::warn!(
        row = what,
        name,
        "another transaction holds a lock on this row; pushes that need it wait, or get 503"
    );
}
