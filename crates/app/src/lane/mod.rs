//! The ingest lanes: pushed postings queue here, and share reads and commits.
//!
//! [`Lanes`] is the use case [`domain::usecase::ingest`] behind queues. Commands are spread over
//! a few lanes by their identifier, so that two lanes never write the same posting. A lane has
//! two stages, each a task that takes whatever waits as its next batch, and never waits for more
//! to come: under light load a batch is one posting, under heavy load one commit pays for many.
//!
//! - [`read`] loads the postings and companies that a batch names, and answers dry runs and the
//!   pushes that change nothing: most of a catalogue that is pushed again, which would otherwise
//!   wait behind the commits of others.
//! - [`mod@write`] commits the rest on the [`snapshot`] that was read for it. Postings that the
//!   lane has written since are read again; writes of other processes show in the postings'
//!   versions.
//! - [`blocked`] keeps the commands that wait for a row which another transaction holds locked.
//!
//! Because these tasks commit, a request that is dropped half-way takes nothing with it.

mod blocked;
mod read;
mod run;
mod snapshot;
mod write;

#[cfg(test)]
mod tests;

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    posting::{Answer, Lifetime, PutPosting, SourceIdentifier},
    store::Store,
    usecase::{Answers, Ingest, IngestError},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot},
    task::JoinSet,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;

use self::{
    blocked::BlockedCommands, read::Reader, run::Runner, snapshot::Snapshot, write::Writer,
};
use crate::clock::Clock;

/// How long a stop waits for a commit that began before its commands' deadline.
const GRACE: Duration = Duration::from_secs(5);

/// Numbers and limits of the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneSettings {
    /// How many lanes there are. Each has a commit under way at a time.
    pub lanes: usize,
    /// How many commands may be under way in all.
    pub queue: usize,
    /// How many commands share a commit at most. More gain little and wait longer.
    pub batch: usize,
    /// How long a command may take from its arrival on.
    pub deadline: Duration,
}

impl Default for LaneSettings {
    fn default() -> Self {
        Self {
            lanes: 1,
            queue: 4096,
            batch: 64,
            deadline: Duration::from_secs(10),
        }
    }
}

/// A command on its way.
struct Job {
    put: PutPosting,
    /// Whether it is answered by the first stage, without a commit.
    is_dry_run: bool,
    /// The state that it was read against, once it was.
    snapshot: Option<Box<Snapshot>>,
    deadline: Instant,
    answer: oneshot::Sender<Result<Answer, IngestError>>,
    /// Its slot among the commands in flight, released with the answer.
    _slot: OwnedSemaphorePermit,
}

impl Job {
    /// Whether its deadline is over, so that the client already has a 503.
    fn is_late(&self) -> bool {
        self.deadline <= Instant::now()
    }

    fn answer(self, answer: Result<Answer, IngestError>) {
        // The client may have hung up; what was committed stands.
        let _ = self.answer.send(answer);
    }
}

/// The sending end of a lane's queue.
struct Intake {
    // Unbounded, because the slots bound the number of commands.
    queue: mpsc::UnboundedSender<Job>,
    runner: Arc<Runner>,
}

impl Intake {
    /// Queues a command; false once the lane has stopped.
    fn accept(&self, job: Job) -> bool {
        self.runner.note_queued();
        let is_accepted = self.queue.send(job).is_ok();
        if !is_accepted {
            self.runner.note_read(1);
        }
        is_accepted
    }
}

/// The ingest use case on top of the lanes: spreads commands over them and waits for answers.
pub struct Lanes {
    intakes: Vec<Intake>,
    slots: Arc<Semaphore>,
    queue: usize,
    hasher: RandomState,
    deadline: Duration,
}

/// Commands in flight from which on background work throttles itself. Fewer leave room for it: most
/// of their time goes to the clients and to the disk.
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
        lifetime: Lifetime,
        clock: &Clock,
        settings: LaneSettings,
    ) -> (Self, LaneTasks) {
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let intakes = (0..settings.lanes.max(1)).map(|_| {
            let runner = Arc::new(Runner::new(Arc::clone(store), lifetime, Arc::clone(clock)));
            let batch = settings.batch.max(1);
            let (queue, waiting) = mpsc::unbounded_channel();
            let (pass_on, changes) = mpsc::unbounded_channel();
            let blocked = BlockedCommands::new(Arc::clone(&runner));
            let writer = Writer::new(Arc::clone(&runner), Arc::clone(&blocked), batch);
            tasks.spawn(writer.run(changes));
            let reader = Reader::new(Arc::clone(&runner), blocked, batch, pass_on);
            tasks.spawn(reader.run(waiting, stop.clone()));
            Intake { queue, runner }
        });
        let lanes = Self {
            intakes: intakes.collect(),
            slots: Arc::new(Semaphore::new(settings.queue.max(1))),
            queue: settings.queue.max(1),
            hasher: RandomState::new(),
            deadline: settings.deadline,
        };
        let tasks = LaneTasks {
            stop,
            tasks,
            patience: settings.deadline + GRACE,
        };
        (lanes, tasks)
    }

    /// A gauge of the commands in flight.
    pub fn under_way(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let (slots, all) = (Arc::clone(&self.slots), self.queue);
        move || all - slots.available_permits()
    }

    /// A probe for whether at least [`BUSY_AT`] commands are in flight.
    pub fn is_busy(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let under_way = self.under_way();
        move || under_way() >= BUSY_AT
    }

    fn lane_of(&self, identifier: &SourceIdentifier) -> Option<&Intake> {
        let lane = self.hasher.hash_one(identifier) % self.intakes.len() as u64;
        usize::try_from(lane)
            .ok()
            .and_then(|lane| self.intakes.get(lane))
    }
}

impl Lanes {
    /// Queues a command, and waits for its answer.
    async fn submit(&self, put: PutPosting, is_dry_run: bool) -> Result<Answer, IngestError> {
        let deadline = Instant::now() + self.deadline;
        let slot = Arc::clone(&self.slots)
            .try_acquire_owned()
            .map_err(|_| IngestError::Overloaded)?;
        let (answer, answered) = oneshot::channel();
        let lane = self.lane_of(&put.identifier);
        let job = Job {
            put,
            is_dry_run,
            snapshot: None,
            deadline,
            answer,
            _slot: slot,
        };
        if !lane.is_some_and(|lane| lane.accept(job)) {
            return Err(unavailable("the service is stopping"));
        }
        match timeout_at(deadline, answered).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(unavailable("the service stopped before it had an answer")),
            Err(_) => Err(unavailable("it took too long")),
        }
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

fn unavailable(why: &str) -> IngestError {
    IngestError::Unavailable(why.to_owned())
}

/// The answer to the one command of a batch.
fn only(answers: Answers) -> Result<Answer, IngestError> {
    match answers.into_iter().next() {
        Some(answer) => answer.map_err(IngestError::from),
        None => Err(IngestError::Broken("a command got no answer".to_owned())),
    }
}
