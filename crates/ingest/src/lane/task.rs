//! The task of a lane: loads waiting commands, decides them in order, and starts commits.
//!
//! A commit has at most one command for each posting. While commits run, the lane loads and decides
//! more commands that touch none of their postings, and no company that they write. A command that
//! must wait stays in the lane, with every later command of its posting, to keep the order of each
//! posting. A lane never makes its own loaded state outdated, because it starts no commit while
//! loading.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use kernel::SourceIdentifier;
use tokio::{
    sync::{Semaphore, mpsc},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    batch::OpenBatch, context::Context, in_flight::InFlightSet, job::Job,
    priority::PrioritySemaphore, retry::RetryQueue,
};

/// The largest number of waiting commands examined for a batch, as a multiple of its room.
const LOOKED_AT: usize = 4;

/// A commit that takes longer counts as stuck, and no longer delays the next.
const STUCK: Duration = Duration::from_millis(20);

/// The sizes of a group of lanes, each at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSettings {
    pub lanes: usize,
    pub queue: usize,
    /// The largest number of commands per commit. With more, commands gain little and wait longer.
    pub batch: usize,
    /// The largest number of running commits of a lane.
    pub commits: usize,
}

pub(super) struct Lane {
    context: Arc<Context>,
    settings: GroupSettings,
    /// Set for a lane that gives way to pushes.
    priority: Option<Arc<PrioritySemaphore>>,
    retries: Arc<RetryQueue>,
    waiting: VecDeque<Job>,
    open: OpenBatch,
    in_flight: InFlightSet,
    /// A permit for each running commit. Full batches queue for a permit.
    commits: Arc<Semaphore>,
}

enum Start {
    Now,
    /// Load the waiting commands, if any, and then start.
    Shared,
    At(Instant),
    Later,
}

impl Lane {
    pub fn new(
        context: Arc<Context>,
        settings: GroupSettings,
        priority: Option<Arc<PrioritySemaphore>>,
    ) -> Self {
        Self {
            settings,
            priority,
            retries: RetryQueue::new(Arc::clone(&context)),
            waiting: VecDeque::new(),
            open: OpenBatch::new(&context),
            in_flight: InFlightSet::default(),
            commits: Arc::new(Semaphore::new(settings.commits)),
            context,
        }
    }

    /// Runs until it is stopped, nothing more arrives, and everything is answered.
    pub async fn run(
        mut self,
        mut arriving: mpsc::UnboundedReceiver<Job>,
        stop: CancellationToken,
    ) {
        let mut is_open = true;
        loop {
            if stop.is_cancelled() {
                arriving.close();
            }
            self.in_flight.end_done();
            while let Ok(job) = arriving.try_recv() {
                self.waiting.push_back(job);
            }
            let start = self.next_start();
            if matches!(start, Start::Now) {
                self.start();
                continue;
            }
            let jobs = self.select();
            if !jobs.is_empty() {
                self.decide(jobs).await;
                continue;
            }
            if matches!(start, Start::Shared) {
                self.start();
                continue;
            }
            let is_idle = self.waiting.is_empty() && self.open.is_empty();
            if !is_open && is_idle && self.in_flight.len() == 0 {
                return self.retries.end().await;
            }
            tokio::select! {
                () = self.in_flight.next_end() => {}
                job = arriving.recv(), if is_open => {
                    is_open = job.is_some();
                    self.waiting.extend(job);
                }
                () = stop.cancelled(), if !arriving.is_closed() => {}
                () = until(&start), if matches!(start, Start::At(_)) => {}
            }
        }
    }

    fn batch(&self) -> usize {
        let most = self.settings.batch;
        let priority = self.priority.as_ref();
        priority.map_or(most, |priority| priority.batch(most))
    }

    fn next_start(&self) -> Start {
        if self.open.is_empty() {
            return Start::Later;
        }
        let under_way = self.in_flight.len();
        let is_full = self.open.len() >= self.batch();
        // A full batch of pushes queues for its commit. A full batch of lines does not, because its
        // size limit may rise before the commit.
        if is_full && (under_way == 0 || self.priority.is_none()) {
            return Start::Now;
        }
        if under_way == 0 {
            // Waiting commands share the commit instead of waiting for its end.
            return if self.open.is_shared() {
                Start::Now
            } else {
                Start::Shared
            };
        }
        match self.in_flight.last_start().map(|last| last + STUCK) {
            Some(due) if under_way < self.settings.commits => {
                if due <= Instant::now() {
                    Start::Now
                } else {
                    Start::At(due)
                }
            }
            _ => Start::Later,
        }
    }

    fn select(&mut self) -> Vec<Job> {
        let room = self.batch().saturating_sub(self.open.len());
        let (mut selected, mut left) = (Vec::new(), Left::default());
        let mut looked_at = 0;
        while selected.len() < room
            && looked_at < room * LOOKED_AT
            && let Some(job) = self.waiting.pop_front()
        {
            if job.is_late() {
                continue;
            }
            looked_at += 1;
            if left.has(&job) || self.open.waits(&job) || self.in_flight.conflicts_with(&job) {
                left.add(job);
            } else {
                selected.push(job);
            }
        }
        left.put_back(&mut self.waiting);
        selected
    }

    async fn decide(&mut self, jobs: Vec<Job>) {
        let jobs = self.open.load(&self.context, &self.retries, jobs).await;
        let mut left = Left::default();
        for mut job in jobs {
            let batch = self.open.batch();
            let waits = !job.is_dry_run && self.in_flight.writes_any(batch.companies_of(&job.put));
            if waits || left.has(&job) || self.open.waits(&job) {
                let posting = batch.snapshot().postings.get(&job.put.identifier);
                job.waits_for = posting.map(|posting| posting.company_id);
                left.add(job);
            } else {
                self.open.decide(&self.context, &self.retries, job);
            }
        }
        left.put_back(&mut self.waiting);
        self.open.release();
    }

    fn start(&mut self) {
        let open = std::mem::replace(&mut self.open, OpenBatch::new(&self.context));
        let (context, retries) = (Arc::clone(&self.context), Arc::clone(&self.retries));
        let (commits, priority) = (Arc::clone(&self.commits), self.priority.clone());
        self.in_flight.start(open.rows(), async move {
            // The semaphore is never closed.
            let _permit = commits.acquire().await;
            let turn = match &priority {
                Some(priority) => Some(priority.acquire().await),
                None => None,
            };
            open.commit(&context, &retries).await;
            if let Some(turn) = turn {
                turn.release().await;
            }
        });
    }
}

/// Commands that must wait, with every later command of their postings.
#[derive(Default)]
struct Left {
    jobs: Vec<Job>,
    postings: HashSet<SourceIdentifier>,
}

impl Left {
    fn has(&self, job: &Job) -> bool {
        !self.postings.is_empty() && self.postings.contains(&job.put.identifier)
    }

    fn add(&mut self, job: Job) {
        self.postings.insert(job.put.identifier.clone());
        self.jobs.push(job);
    }

    fn put_back(self, waiting: &mut VecDeque<Job>) {
        for job in self.jobs.into_iter().rev() {
            waiting.push_front(job);
        }
    }
}

async fn until(start: &Start) {
    if let Start::At(at) = start {
        sleep_until(*at).await;
    }
}
