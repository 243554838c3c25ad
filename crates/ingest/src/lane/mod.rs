//! The ingest lanes: pushed postings queue here, and share reads and commits.
//!
//! [`Lanes`] runs [`domain::usecase::Batch`] behind queues. Commands are spread over a few lanes by
//! their identifier, so that two lanes never write the same posting. A lane ([`task`]) takes
//! whatever waits as its next batch, and never waits for more to come: under light load a batch is
//! one posting, under heavy load one commit pays for many. A command is loaded and decided once.
//!
//! - What changes nothing is answered at once: most of a catalogue that is pushed again, which
//!   would otherwise wait behind the commits of others.
//! - [`batch`] has the commands that were decided and wait for their commit, which more may share.
//! - [`in_flight`] has the commits under way. They overlap if they touch none of the same rows, and
//!   the next batch is loaded and decided meanwhile.
//! - [`retry`] has the commands of a batch that failed, above all by a conflict, and those that
//!   wait for a row which another transaction holds [`locked`]. Each is decided again by itself.
//!
//! The lines of imports have lanes and slots of their own ([`group`]), so that they fill no queue
//! in which pushes wait. Their batches are larger, and they give way to pushes ([`priority`]). A
//! push and a line that write the same posting at the same time meet in its version.
//!
//! A command ([`job`]) is answered by whoever is done with it. Because these tasks commit, a
//! request that is dropped half-way takes nothing with it.

mod batch;
mod context;
mod group;
mod in_flight;
mod job;
mod locked;
mod priority;
mod retry;
mod task;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    posting::{Answer, Lifetime, PutPosting},
    store::{LockedRows, Store},
    usecase::{Ingest, IngestError},
};
use runtime::Clock;
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

use self::{
    context::Context,
    group::{Group, Tasks},
    priority::PrioritySemaphore,
    task::GroupSettings,
};

/// How long a stop waits for a commit that began before its commands' deadline.
const GRACE: Duration = Duration::from_secs(5);

/// Numbers and limits of the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneSettings {
    /// How many lanes of pushes there are.
    pub lanes: usize,
    /// How many commits of a lane of pushes are under way at most.
    pub commits: usize,
    /// How many pushes may be under way in all.
    pub queue: usize,
    /// How many pushes share a commit at most. More gain little and wait longer.
    pub batch: usize,
    /// How many lanes of lines of imports there are. While one waits for the store, another one
    /// decides.
    pub line_lanes: usize,
    /// How many lines of imports may be under way in all.
    pub line_queue: usize,
    /// How many lines of imports share a commit at most.
    pub line_batch: usize,
    /// How long a command may take from its arrival in a queue on.
    pub deadline: Duration,
}

impl Default for LaneSettings {
    fn default() -> Self {
        Self {
            lanes: 1,
            commits: 1,
            queue: 4096,
            batch: 64,
            line_lanes: 1,
            line_queue: 1024,
            line_batch: 256,
            deadline: Duration::from_secs(10),
        }
    }
}

impl LaneSettings {
    fn of_pushes(self) -> GroupSettings {
        GroupSettings {
            lanes: self.lanes,
            queue: self.queue,
            batch: self.batch.max(1),
            commits: self.commits.max(1),
        }
    }

    fn of_lines(self) -> GroupSettings {
        GroupSettings {
            lanes: self.line_lanes,
            queue: self.line_queue,
            batch: self.line_batch.max(1),
            // They overlap with one another.
            commits: 1,
        }
    }
}

/// The driving port [`Ingest`] on top of the lanes, which commands are spread over.
pub struct Lanes {
    pushes: Group,
    lines: Group,
    deadline: Duration,
}

/// Commands in flight from which on other work throttles itself. Fewer leave room for it: most of
/// their time goes to the clients and to the disk.
const BUSY_AT: usize = 8;

/// The running tasks of the lanes, to stop them.
pub struct LaneTasks {
    stop: CancellationToken,
    tasks: JoinSet<()>,
    patience: Duration,
}

impl Lanes {
    /// Starts the lanes. They run until they are stopped, or until [`Lanes`] is dropped.
    pub fn start(
        store: &Arc<dyn Store>,
        locks: &Arc<dyn LockedRows>,
        lifetime: Lifetime,
        clock: &Clock,
        settings: LaneSettings,
    ) -> (Self, LaneTasks) {
        let mut tasks = Tasks::default();
        let context = Arc::new(Context {
            store: Arc::clone(store),
            locks: Arc::clone(locks),
            lifetime,
            clock: Arc::clone(clock),
        });
        let pushes = Group::start(settings.of_pushes(), &context, None, &mut tasks);
        let under_way = pushes.under_way();
        let is_busy = Box::new(move || under_way() >= BUSY_AT);
        let priority = PrioritySemaphore::new(is_busy, settings.line_lanes, settings.batch);
        let both = Self {
            pushes,
            lines: Group::start(settings.of_lines(), &context, Some(priority), &mut tasks),
            deadline: settings.deadline,
        };
        let tasks = LaneTasks {
            stop: tasks.stop,
            tasks: tasks.set,
            patience: settings.deadline + GRACE,
        };
        (both, tasks)
    }

    /// A gauge of the commands in flight, lines of imports among them.
    pub fn under_way(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let (pushes, lines) = (self.pushes.under_way(), self.lines.under_way());
        move || pushes() + lines()
    }

    /// A probe for whether at least [`BUSY_AT`] commands are in flight.
    pub fn is_busy(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let under_way = self.under_way();
        move || under_way() >= BUSY_AT
    }

    /// Queues a push, and waits for its answer.
    async fn submit(&self, put: PutPosting, is_dry_run: bool) -> Result<Answer, IngestError> {
        let slot = self.pushes.free_slot().ok_or(IngestError::Overloaded)?;
        let pending = (self.pushes).queue(Arc::new(put), is_dry_run, self.deadline, slot);
        pending.answer().await
    }
}

#[async_trait]
impl Ingest for Lanes {
    async fn put(&self, put: PutPosting) -> Result<Answer, IngestError> {
        self.submit(put, false).await
    }

    async fn dry_run(&self, put: PutPosting) -> Result<Answer, IngestError> {
        self.submit(put, true).await
    }

    async fn put_all(
        &self,
        puts: Vec<Arc<PutPosting>>,
        dry_run: bool,
    ) -> Vec<Result<Answer, IngestError>> {
        self.lines.put_all(puts, dry_run, self.deadline).await
    }
}

impl LaneTasks {
    /// Stops the intake, answers the commands that were accepted, and ends.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let ended = async {
            while let Some(ended) = self.tasks.join_next().await {
                if let Err(error) = ended {
                    tracing::error!(%error, "an ingest lane ended badly");
                }
            }
        };
        if timeout(self.patience, ended).await.is_err() {
            tracing::error!("the store does not answer; whether a commit took place is not known");
        }
    }
}
