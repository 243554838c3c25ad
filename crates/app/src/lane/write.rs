//! The second stage: decides what was read, in its order, and starts commits.
//!
//! While commits are under way, the next one may begin if it touches none of the same postings, and
//! no company that one of them writes. A command that has to wait for them is left, and with it
//! every later one of its posting, so that the order of each posting is kept.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use domain::store::Known;
use kernel::SourceIdentifier;
use tokio::{
    sync::mpsc::{self, error::TryRecvError},
    time::{Instant, sleep_until},
};

use super::{
    blocked::BlockedCommands,
    commit::Committer,
    flights::Flights,
    job::Job,
    pace::Pace,
    run::Runner,
    snapshot::Written,
    turns::{Turn, Turns},
};

/// How many batches' worth of waiting commands are looked at for one batch.
const LOOKED_AT: usize = 4;

/// The task of the second stage.
pub(super) struct Writer {
    runner: Arc<Runner>,
    blocked: Arc<BlockedCommands>,
    committer: Arc<Committer>,
    /// Of a lane that gives way to others.
    turns: Option<Arc<Turns>>,
    waiting: VecDeque<Job>,
    flights: Flights,
    /// Whether the next batch has waited for the read that was under way.
    was_patient: bool,
}

/// When the next commit begins.
enum Start {
    Now,
    /// When the batch that is being read is there.
    AfterRead,
    At(Instant),
    /// When something else happens.
    Later,
}

/// What becomes of a posting's commands in one batch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Taken,
    ReadAgain,
    Left,
}

impl Writer {
    pub fn new(
        runner: Arc<Runner>,
        blocked: Arc<BlockedCommands>,
        turns: Option<Arc<Turns>>,
    ) -> Self {
        Self {
            committer: Arc::new(Committer::new(Arc::clone(&runner), Arc::clone(&blocked))),
            runner,
            blocked,
            turns,
            waiting: VecDeque::new(),
            flights: Flights::default(),
            was_patient: false,
        }
    }

    fn pace(&self) -> &Pace {
        self.runner.pace()
    }

    /// Commits batches until the first stage has ended and everything is answered.
    pub async fn run(mut self, mut changes: mpsc::UnboundedReceiver<Vec<Job>>) {
        let runner = Arc::clone(&self.runner);
        loop {
            // Before it is looked at whether something is being read.
            let read = runner.next_read();
            let is_open = self.take(&mut changes);
            let mut start = self.next_start();
            if matches!(start, Start::Now) {
                if self.start().await {
                    continue;
                }
                start = Start::Later;
            }
            if !is_open && self.waiting.is_empty() && self.flights.is_empty() {
                return self.blocked.end().await;
            }
            tokio::select! {
                again = self.flights.next_end() => {
                    for job in again.into_iter().rev() {
                        self.waiting.push_front(job);
                    }
                }
                more = changes.recv(), if is_open => {
                    self.waiting.extend(more.into_iter().flatten());
                }
                () = read, if matches!(start, Start::AfterRead) => self.was_patient = true,
                () = until(&start), if matches!(start, Start::At(_)) => {}
            }
        }
    }

    /// Takes what was read; false once the first stage has ended.
    fn take(&mut self, changes: &mut mpsc::UnboundedReceiver<Vec<Job>>) -> bool {
        loop {
            match changes.try_recv() {
                Ok(more) => self.waiting.extend(more),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    fn next_start(&mut self) -> Start {
        let pace = self.runner.pace();
        if self.waiting.is_empty() {
            return Start::Later;
        }
        if self.flights.commits() == 0 {
            // A batch that is being read right now shares the commit instead of waiting for its
            // end.
            let is_full = self.waiting.len() >= pace.batch();
            let waits = !is_full && !self.was_patient && !pace.is_far();
            return if waits && self.runner.is_reading() {
                Start::AfterRead
            } else {
                Start::Now
            };
        }
        if self.flights.commits() >= pace.commits() {
            return Start::Later;
        }
        let enough = pace.batch();
        let free = self.waiting.iter().take(enough * LOOKED_AT);
        let free = free.filter(|job| !self.flights.hold_up(job)).take(enough);
        match free.count() {
            0 => Start::Later,
            count if count >= enough => Start::Now,
            _ => match self.flights.last_commit() {
                Some(last) if last + pace.between_commits() > Instant::now() => {
                    Start::At(last + pace.between_commits())
                }
                _ => Start::Now,
            },
        }
    }

    /// Starts what can be started of what waits; false if that is nothing.
    async fn start(&mut self) -> bool {
        let turn = match &self.turns {
            Some(turns) => Some(turns.next().await),
            None => None,
        };
        let most = self.pace().batch();
        let batch = turn.as_ref().map_or(most, |turn| turn.batch(most));
        self.was_patient = false;
        let (fresh, stale) = self.select(batch);
        let is_any = !(fresh.is_empty() && stale.is_empty());
        if !stale.is_empty() {
            self.read_again(stale);
        }
        if !fresh.is_empty() {
            self.commit(fresh, turn);
        }
        is_any
    }

    /// Takes the next batch out of those that wait: the commands that can be decided, and those
    /// that have to be read again.
    fn select(&mut self, batch: usize) -> (Vec<Job>, Vec<Job>) {
        let may_read = self.flights.reads() < self.pace().reads();
        let mut fates: HashMap<SourceIdentifier, Fate> = HashMap::new();
        let (mut fresh, mut stale, mut left) = (Vec::new(), Vec::new(), Vec::new());
        let mut looked_at = 0;
        while fresh.len().max(stale.len()) < batch
            && looked_at < batch * LOOKED_AT
            && let Some(job) = self.waiting.pop_front()
        {
            looked_at += 1;
            if job.is_late() {
                continue;
            }
            let earlier = fates.get(&job.put.identifier).copied();
            let fate = if earlier == Some(Fate::Left) || self.flights.hold_up(&job) {
                Fate::Left
            } else if earlier == Some(Fate::ReadAgain) {
                Fate::ReadAgain
            } else if !job.is_outdated(self.runner.recent_writes()) {
                Fate::Taken
            } else if may_read && earlier.is_none() {
                Fate::ReadAgain
            } else {
                Fate::Left
            };
            fates.insert(job.put.identifier.clone(), fate);
            match fate {
                Fate::Taken => fresh.push(job),
                Fate::ReadAgain => stale.push(job),
                Fate::Left => left.push(job),
            }
        }
        while let Some(job) = left.pop() {
            self.waiting.push_front(job);
        }
        (fresh, stale)
    }

    fn read_again(&mut self, jobs: Vec<Job>) {
        let touches = Written {
            postings: identifiers(&jobs),
            companies: Vec::new(),
        };
        let committer = Arc::clone(&self.committer);
        let task = async move { committer.read_again(jobs).await };
        self.flights.start(false, touches, task);
    }

    fn commit(&mut self, mut jobs: Vec<Job>, turn: Option<Turn>) {
        let mut known = Known::default();
        let mut assumed = BTreeMap::new();
        for snapshot in jobs.iter_mut().filter_map(|job| job.snapshot.take()) {
            let guessed = snapshot.guessed().into_iter().flatten();
            assumed.extend(guessed.map(|company| (company.id, company.clone())));
            snapshot.restore(&mut known);
        }
        let postings = identifiers(&jobs);
        let batch = self.committer.decide(jobs, known).on(assumed);
        let writes = batch
            .decided
            .as_ref()
            .map(|decided| Written::of(&decided.writes));
        let touches = Written {
            postings,
            companies: writes.unwrap_or_default().companies,
        };
        let committer = Arc::clone(&self.committer);
        let task = async move {
            let again = committer.commit(batch).await;
            if let Some(turn) = turn {
                turn.end().await;
            }
            again
        };
        self.flights.start(true, touches, task);
    }
}

fn identifiers(jobs: &[Job]) -> Vec<SourceIdentifier> {
    jobs.iter().map(|job| job.put.identifier.clone()).collect()
}

async fn until(start: &Start) {
    if let Start::At(at) = start {
        sleep_until(*at).await;
    }
}
