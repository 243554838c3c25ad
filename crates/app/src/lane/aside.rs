//! Commands that cannot be written because another transaction holds a row of theirs locked.
//!
//! They have left their batch and their lane, so everybody else goes on. Each posting that such a
//! command is for has a queue of its own, in which one command after the other is tried by itself
//! until it succeeds or its time is over. Only a few tries are under way at a time, and only so
//! many commands wait: the rest of the connections and of the places are for the others.
//!
//! Rows that were found locked are remembered for a moment, so that a batch waits for a row once
//! and not each time that somebody pushes it.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{
    company::CompanyId,
    posting::{Answer, PutPosting, SourceIdentifier},
    store::{Known, RowLocks, StoreError},
    usecase::IngestError,
};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep_until, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Job,
    found::Commits,
    run::{Runner, only},
    unavailable,
};
use crate::waits;

/// How many tries may be under way at a time, each on a connection of its own.
const TRIES: usize = 2;
/// How many commands may wait for locked rows, of all and for one posting.
const WAITING: usize = 256;
const WAITING_FOR_ONE: usize = 32;
/// How long a row is taken for locked after it was found so.
const MEMORY: Duration = Duration::from_secs(2);

const LOCKED: &str = "another transaction holds a lock on what it writes";

/// The commands of one lane that wait for locked rows.
pub(super) struct Aside {
    runner: Arc<Runner>,
    tries: Semaphore,
    state: Mutex<State>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

#[derive(Default)]
struct State {
    /// The commands that wait, by posting. The queue of one that is being tried is there even if
    /// nobody waits in it.
    queues: HashMap<SourceIdentifier, VecDeque<Job>>,
    waiting: usize,
    postings: Memory<SourceIdentifier>,
    companies: Memory<CompanyId>,
    references: Memory<CompanyId>,
    /// What was tried here, and after how many commits: the lane knows of no other.
    tried: Vec<(SourceIdentifier, Commits)>,
}

/// Until when rows are taken for locked.
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

    /// Says whether that is new.
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

impl Aside {
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

    /// What was tried here since this was last asked.
    pub fn tried(&self) -> Vec<(SourceIdentifier, Commits)> {
        std::mem::take(&mut self.state().tried)
    }

    /// Whether commands for a posting wait here, which no other may overtake.
    pub fn has(&self, identifier: &SourceIdentifier) -> bool {
        self.state().queues.contains_key(identifier)
    }

    /// Takes those out of a batch that would wait for a row which is taken for locked, and those
    /// that come after them.
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

    /// Remembers that a command was held up by a row which nobody can see yet: another transaction
    /// is about to add the posting or its company.
    fn suspect(&self, put: &PutPosting, known: Option<&Known>) {
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

    /// Takes over commands in their order.
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
            self.tasks.spawn(Arc::clone(self).attend(identifier));
        }
        Ok(())
    }

    /// Carries out the commands for a posting, one after the other.
    async fn attend(self: Arc<Self>, identifier: SourceIdentifier) {
        while let Some(job) = self.next(&identifier) {
            let answer = self.carry_out(&job).await;
            let mut state = self.state();
            state.waiting -= 1;
            state
                .tried
                .push((identifier.clone(), self.runner.commits()));
            drop(state);
            job.answer(answer);
        }
    }

    /// The next command of a queue, which ends with the last one.
    fn next(&self, identifier: &SourceIdentifier) -> Option<Job> {
        let mut state = self.state();
        let next = state.queues.get_mut(identifier)?.pop_front();
        if next.is_none() {
            state.queues.remove(identifier);
        }
        next
    }

    /// Tries a command until it succeeds or its time is over.
    async fn carry_out(&self, job: &Job) -> Result<Answer, IngestError> {
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

    /// Tries a command by itself, without waiting for rows that are visibly locked.
    async fn attempt(&self, job: &Job) -> Result<Result<Answer, IngestError>, StoreError> {
        let permit = timeout_at(job.deadline, self.tries.acquire()).await;
        if permit.is_err() || job.is_late() {
            return Ok(Err(unavailable(LOCKED)));
        }
        let puts = [&job.put];
        let (held, known) = self.runner.find_held(&puts).await?;
        if !held.is_empty() {
            self.remember(&held, &known);
            return Err(StoreError::Locked(LOCKED.to_owned()));
        }
        let result = self.runner.commit(&puts, known).await;
        if matches!(result, Err(StoreError::Locked(_))) {
            self.held_up_by_the_invisible(&job.put).await;
        }
        result.map(only)
    }

    /// Remembers what a command waits for that no other transaction can see.
    pub async fn held_up_by_the_invisible(&self, put: &PutPosting) {
        let known = self.runner.load(&[put]).await.ok();
        self.suspect(put, known.as_ref());
    }

    /// Has those that still wait try once more at most, and waits for their answers.
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
