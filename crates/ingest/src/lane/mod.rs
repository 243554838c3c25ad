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
//! The task that finishes a command ([`job`]) answers it. Because these tasks commit, a request
//! that is dropped half-way aborts nothing.

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

/// How long a stop waits for a commit that began before its commands' deadline.
const GRACE: Duration = Duration::from_secs(5);
const LATE: &str = "the store does not answer, and whether a commit took place is not known";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneSettings {
    pub pushes: GroupSettings,
    /// The lanes of lines of imports. While one waits for the store, another one decides.
    pub lines: GroupSettings,
    /// How long a command may take from its arrival in a queue on.
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

/// Commands in flight from which on other work throttles itself. Fewer leave room for it: most of
/// their time goes to the clients and to the disk.
const BUSY_AT: usize = 8;

impl Lanes {
    /// Starts the lanes. They run until they are stopped, or until [`Lanes`] is dropped. A stop
    /// ends the intake, and answers the commands that were accepted.
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

    /// A gauge of the commands in flight, lines of imports among them.
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
