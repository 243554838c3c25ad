//! The ingest lanes: pushed postings queue here, and share reads and commits.
//!
//! [`Lanes`] is the use case [`domain::usecase::ingest`] behind queues. Commands are spread over
//! a few lanes by their identifier, so that two lanes never write the same posting. A lane has
//! two stages, each a task that takes whatever waits as its next batch, and never waits for more
//! to come: under light load a batch is one posting, under heavy load one commit pays for many.
//!
//! - [`read`] loads what a batch names, and answers the pushes that change nothing: most of a
//!   catalogue that is pushed again, which would otherwise wait behind the commits of others.
//! - [`write`] commits the rest on what was read for it. What its lane has written since is read
//!   again; what others have written shows in the versions of postings.
//! - [`aside`] has the commands that wait for a row which another transaction holds locked.
//!
//! Because these tasks commit, a request that is dropped half-way takes nothing with it.

mod aside;
mod found;
mod read;
mod run;
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
    usecase::{Ingest, IngestError},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot},
    task::JoinSet,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;

use self::{aside::Aside, found::Found, read::Reader, run::Runner, write::Writer};
use crate::clock::Clock;

/// How long a stop waits for a commit that began before its commands' deadline.
const GRACE: Duration = Duration::from_secs(5);

/// How the lanes work.
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
    /// What it finds, once that is read.
    found: Option<Box<Found>>,
    deadline: Instant,
    answer: oneshot::Sender<Result<Answer, IngestError>>,
    /// Its place among those under way, free again once it is answered.
    _place: OwnedSemaphorePermit,
}

impl Job {
    /// Whether its client has been told to try again.
    fn is_late(&self) -> bool {
        self.deadline <= Instant::now()
    }

    fn answer(self, answer: Result<Answer, IngestError>) {
        // Whoever asked may be gone; what was committed stands.
        let _ = self.answer.send(answer);
    }
}

/// The entrance to a lane.
struct Entrance {
    // Without a bound of its own: a command needs a place to get in.
    queue: mpsc::UnboundedSender<Job>,
    runner: Arc<Runner>,
}

impl Entrance {
    /// Whether the lane takes it.
    fn takes(&self, job: Job) -> bool {
        self.runner.arrives();
        let is_taken = self.queue.send(job).is_ok();
        if !is_taken {
            self.runner.have_arrived(1);
        }
        is_taken
    }
}

/// The entrance to the lanes.
pub struct Lanes {
    entrances: Vec<Entrance>,
    places: Arc<Semaphore>,
    queue: usize,
    hasher: RandomState,
    deadline: Duration,
}

/// From so many commands under way on, those who push would notice what else is done. Fewer leave
/// room: most of their time is spent with the clients and with the disk.
const MANY: usize = 8;

/// The lanes themselves, to stop them.
pub struct LaneTasks {
    stop: CancellationToken,
    tasks: JoinSet<()>,
    patience: Duration,
}

impl Lanes {
    /// Starts the lanes. They run until they are stopped, or until nobody can push any more.
    pub fn start(
        store: &Arc<dyn Store>,
        lifetime: Lifetime,
        clock: &Clock,
        settings: LaneSettings,
    ) -> (Self, LaneTasks) {
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let entrances = (0..settings.lanes.max(1)).map(|_| {
            let runner = Arc::new(Runner::new(Arc::clone(store), lifetime, Arc::clone(clock)));
            let batch = settings.batch.max(1);
            let (queue, waiting) = mpsc::unbounded_channel();
            let (pass_on, changes) = mpsc::unbounded_channel();
            let aside = Aside::new(Arc::clone(&runner));
            let writer = Writer::new(Arc::clone(&runner), Arc::clone(&aside), batch);
            tasks.spawn(writer.run(changes));
            let reader = Reader::new(Arc::clone(&runner), aside, batch, pass_on);
            tasks.spawn(reader.run(waiting, stop.clone()));
            Entrance { queue, runner }
        });
        let lanes = Self {
            entrances: entrances.collect(),
            places: Arc::new(Semaphore::new(settings.queue.max(1))),
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

    /// Says how many commands are under way.
    pub fn under_way(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let (places, all) = (Arc::clone(&self.places), self.queue);
        move || all - places.available_permits()
    }

    /// Says whether many commands are under way.
    pub fn is_busy(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let under_way = self.under_way();
        move || under_way() >= MANY
    }

    fn lane_of(&self, identifier: &SourceIdentifier) -> Option<&Entrance> {
        let lane = self.hasher.hash_one(identifier) % self.entrances.len() as u64;
        usize::try_from(lane)
            .ok()
            .and_then(|lane| self.entrances.get(lane))
    }
}

#[async_trait]
impl Ingest for Lanes {
    async fn put(&self, put: PutPosting) -> Result<Answer, IngestError> {
        let deadline = Instant::now() + self.deadline;
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| IngestError::Overloaded)?;
        let (answer, answered) = oneshot::channel();
        let lane = self.lane_of(&put.identifier);
        let job = Job {
            put,
            found: None,
            deadline,
            answer,
            _place: place,
        };
        if !lane.is_some_and(|lane| lane.takes(job)) {
            return Err(unavailable("the service is stopping"));
        }
        match timeout_at(deadline, answered).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(unavailable("the service stopped before it had an answer")),
            Err(_) => Err(unavailable("it took too long")),
        }
    }
}

impl LaneTasks {
    /// Takes nothing more in, answers what was taken in, and ends.
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
