//! The ingest lanes: pushed postings queue here, and share reads and commits.
//!
//! [`Lanes`] runs [`domain::usecase::Batch`] behind queues. The identifier selects one of a few
//! lanes, so no two lanes write the same posting. A lane ([`task`]) takes all waiting commands as
//! its next batch, and never waits for more. Under light load a batch is one command; under heavy
//! load one commit serves many. Each command is loaded and decided only once.
//!
//! - Unchanged pushes are answered immediately. In a repeated catalogue they are the majority, and
//!   would otherwise wait for other commits.
//! - [`batch`] holds decided commands until their commit. Until then, more commands may join.
//! - [`in_flight`] has running commits. They overlap if they share no rows, while the next batch is
//!   loaded and decided.
//! - [`retry`] holds commands of batches that failed, mostly in conflicts, and those that wait for
//!   a row [`locked`] by another transaction. Each is decided again by itself.
//!
//! Lines of imports have lanes and slots of their own ([`group`]), so that pushes never queue
//! behind them. Their batches are larger, and give way to pushes ([`priority`]). If a push and a
//! line write the same posting concurrently, its version shows the conflict.
//!
//! The task that finishes a command also answers it ([`job`]). A request only waits for the answer,
//! so a dropped request aborts nothing.

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

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    catalogue::CatalogueLease,
    posting::{Answer, Lifetime, PutPosting},
    store::{LockedRows, Store},
    usecase::{Ingest, IngestError},
};
use runtime::{Clock, Loops};

pub use self::task::GroupSettings;
use self::{context::Context, group::Group, priority::PrioritySemaphore};

/// How long a stop waits for a commit that began before its deadline.
const GRACE: Duration = Duration::from_secs(5);
const LATE: &str = "the store does not answer, and whether a commit took place is not known";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneSettings {
    pub pushes: GroupSettings,
    /// Lanes for lines of imports. While one waits for the store, another decides.
    pub lines: GroupSettings,
    /// How long a command may take from its arrival in a queue.
    pub deadline: Duration,
}

impl Default for LaneSettings {
    fn default() -> Self {
        let pushes = GroupSettings {
            lanes: 1,
            queue: 4096,
            batch: 64,
            commits: 1,
        };
        Self {
            pushes,
            lines: GroupSettings {
                queue: 1024,
                batch: 256,
                ..pushes
            },
            deadline: Duration::from_secs(10),
        }
    }
}

pub struct Lanes {
    pushes: Group,
    lines: Group,
    deadline: Duration,
}

/// The number of commands in flight at which other work throttles itself. Fewer commands leave
/// room for other work, because they mostly wait for clients and disk.
const BUSY_AT: usize = 4;

impl Lanes {
    /// Starts the lanes, which run until stopped, or until [`Lanes`] is dropped. A stop ends the
    /// intake, and answers accepted commands.
    pub fn start(
        store: &Arc<dyn Store>,
        locks: &Arc<dyn LockedRows>,
        lifetime: Lifetime,
        clock: &Clock,
        settings: LaneSettings,
    ) -> (Self, Loops) {
        let mut loops = Loops::new(settings.deadline + GRACE, LATE);
        let context = Arc::new(Context {
            store: Arc::clone(store),
            locks: Arc::clone(locks),
            lifetime,
            clock: Arc::clone(clock),
            names_others: AtomicBool::default(),
        });
        let LaneSettings { pushes, lines, .. } = settings;
        let (few, line_lanes) = (pushes.batch, lines.lanes);
        let pushes = Group::start(pushes, &context, None, &mut loops);
        let under_way = pushes.under_way();
        let is_busy = Box::new(move || under_way() >= BUSY_AT);
        let priority = PrioritySemaphore::new(is_busy, line_lanes, few);
        let both = Self {
            pushes,
            lines: Group::start(lines, &context, Some(priority), &mut loops),
            deadline: settings.deadline,
        };
        (both, loops)
    }

    pub fn under_way(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let (pushes, lines) = (self.pushes.under_way(), self.lines.under_way());
        move || pushes() + lines()
    }

    pub fn is_busy(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let under_way = self.under_way();
        move || under_way() >= BUSY_AT
    }

    async fn submit(&self, put: PutPosting, is_dry_run: bool) -> Result<Answer, IngestError> {
        let slot = self.pushes.free_slot().ok_or(IngestError::Overloaded)?;
        let pending = (self.pushes).queue(Arc::new(put), is_dry_run, None, self.deadline, slot);
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
        lease: Option<CatalogueLease>,
    ) -> Vec<Result<Answer, IngestError>> {
        let lines = &self.lines;
        lines.put_all(puts, dry_run, lease, self.deadline).await
    }
}
