//! The ingest lane: pushed postings queue here, and share commits.
//!
//! [`Lane`] is the use case [`domain::usecase::ingest`] behind a queue. A task of its own takes
//! whatever waits as the next batch, without any added delay: under light load a batch is one
//! posting, under heavy load one commit pays for many. Because that task commits, a request
//! that is dropped half-way takes nothing with it.
//!
//! What happens with a batch is in [`batch`].

mod batch;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    posting::{Answer, Lifetime, PutPosting},
    store::Store,
    usecase::{Ingest, IngestError},
};
use tokio::{
    sync::{
        mpsc::{self, error::TrySendError},
        oneshot,
    },
    task::JoinHandle,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;

use self::batch::Runner;
use crate::clock::Clock;

/// How long a stop waits for a commit that began before its commands' deadline.
const GRACE: Duration = Duration::from_secs(5);

/// How a lane works.
#[derive(Clone, Copy, Debug)]
pub struct LaneSettings {
    /// How many commands may wait.
    pub queue: usize,
    /// How many commands share a commit at most. More gain little and wait longer.
    pub batch: usize,
    /// How long a command may take from its arrival on.
    pub deadline: Duration,
}

impl Default for LaneSettings {
    fn default() -> Self {
        Self {
            queue: 4096,
            batch: 64,
            deadline: Duration::from_secs(10),
        }
    }
}

/// A command on its way.
struct Job {
    put: PutPosting,
    deadline: Instant,
    answer: oneshot::Sender<Result<Answer, IngestError>>,
}

/// The entrance to a lane.
pub struct Lane {
    queue: mpsc::Sender<Job>,
    deadline: Duration,
}

/// The lane itself, to stop it.
pub struct LaneTask {
    stop: CancellationToken,
    task: JoinHandle<()>,
    patience: Duration,
}

impl Lane {
    /// Starts a lane. It runs until it is stopped, or until nobody can push any more.
    pub fn start(
        store: Arc<dyn Store>,
        lifetime: Lifetime,
        clock: Clock,
        settings: LaneSettings,
    ) -> (Self, LaneTask) {
        let (queue, waiting) = mpsc::channel(settings.queue.max(1));
        let stop = CancellationToken::new();
        let runner = Runner {
            store,
            lifetime,
            clock,
        };
        let task = tokio::spawn(run(runner, waiting, settings.batch.max(1), stop.clone()));
        (
            Self {
                queue,
                deadline: settings.deadline,
            },
            LaneTask {
                stop,
                task,
                patience: settings.deadline + GRACE,
            },
        )
    }
}

#[async_trait]
impl Ingest for Lane {
    async fn put(&self, put: PutPosting) -> Result<Answer, IngestError> {
        let deadline = Instant::now() + self.deadline;
        let (answer, answered) = oneshot::channel();
        self.queue
            .try_send(Job {
                put,
                deadline,
                answer,
            })
            .map_err(|error| match error {
                TrySendError::Full(_) => IngestError::Overloaded,
                TrySendError::Closed(_) => unavailable("the service is stopping"),
            })?;
        match timeout_at(deadline, answered).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(unavailable("the service stopped before it had an answer")),
            Err(_) => Err(unavailable("it took too long")),
        }
    }
}

impl LaneTask {
    /// Takes nothing more in, answers what was taken in, and ends.
    pub async fn stop(self) {
        self.stop.cancel();
        match timeout(self.patience, self.task).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the ingest lane ended badly"),
            Err(_) => tracing::error!(
                "the store does not answer; whether a commit took place is not known"
            ),
        }
    }
}

async fn run(
    runner: Runner,
    mut waiting: mpsc::Receiver<Job>,
    batch: usize,
    stop: CancellationToken,
) {
    let mut jobs = Vec::with_capacity(batch);
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled(), if !waiting.is_closed() => waiting.close(),
            taken = waiting.recv_many(&mut jobs, batch) => {
                if taken == 0 {
                    return;
                }
                runner.run(std::mem::take(&mut jobs)).await;
            }
        }
    }
}

fn unavailable(why: &str) -> IngestError {
    IngestError::Unavailable(why.to_owned())
}
