//! What happens with a batch: one commit for all, and if that fails, one for each.

use std::sync::Arc;

use domain::{
    posting::{Answer, Lifetime, PutPosting, Rejection},
    store::{Store, StoreError},
    usecase::{self, IngestError},
};
use tokio::time::{Instant, sleep};

use super::{Job, unavailable};
use crate::{clock::Clock, panics, waits};

type Answers = Vec<Result<Answer, Rejection>>;

/// Carries batches out.
pub(super) struct Runner {
    pub store: Arc<dyn Store>,
    pub lifetime: Lifetime,
    pub clock: Clock,
}

impl Runner {
    /// Answers every job of a batch, which is not empty.
    pub async fn run(&self, jobs: Vec<Job>) {
        let mut puts = Vec::with_capacity(jobs.len());
        let mut askers = Vec::with_capacity(jobs.len());
        for Job {
            put,
            deadline,
            answer,
        } in jobs
        {
            // Its client has been told to try again.
            if deadline > Instant::now() {
                puts.push(put);
                askers.push((deadline, answer));
            }
        }
        if puts.is_empty() {
            return;
        }
        let failure = match self.ingest(&puts).await {
            Ok(answers) => {
                for ((_, asker), answer) in askers.into_iter().zip(answers) {
                    // Whoever asked may be gone; what was committed stands.
                    let _ = asker.send(answer.map_err(IngestError::from));
                }
                return;
            }
            // Run again, one would find what it wrote itself, and answer that it was there.
            Err(StoreError::InDoubt(why)) => {
                for (_, asker) in askers {
                    let _ = asker.send(Err(unavailable(&why)));
                }
                return;
            }
            Err(failure) => failure,
        };
        tracing::debug!(%failure, commands = puts.len(), "a batch is run again one by one");
        let mut failure = (puts.len() == 1).then_some(failure);
        for (put, (deadline, asker)) in puts.iter().zip(askers) {
            let _ = asker.send(self.single(put, deadline, failure.take()).await);
        }
    }

    /// Carries one command out, again after each conflict until its deadline. `failure` is how
    /// it failed already.
    async fn single(
        &self,
        put: &PutPosting,
        deadline: Instant,
        mut failure: Option<StoreError>,
    ) -> Result<Answer, IngestError> {
        let mut waits = waits::after_conflicts();
        loop {
            let error = match failure.take() {
                Some(error) => error,
                None if Instant::now() >= deadline => return Err(unavailable("it took too long")),
                None => match self.ingest(std::slice::from_ref(put)).await {
                    Ok(answers) => return only(answers),
                    Err(error) => error,
                },
            };
            match error {
                StoreError::Conflict => {
                    let wait = waits.next().unwrap_or_default();
                    if Instant::now() + wait >= deadline {
                        return Err(unavailable("others kept changing the same posting"));
                    }
                    sleep(wait).await;
                }
                StoreError::Unavailable(why) | StoreError::InDoubt(why) => {
                    return Err(IngestError::Unavailable(why));
                }
                StoreError::Broken(why) => return Err(IngestError::Broken(why)),
            }
        }
    }

    /// The use case. A panic in it is a failure of this batch, not the end of the lane.
    async fn ingest(&self, puts: &[PutPosting]) -> Result<Answers, StoreError> {
        let now = (self.clock)();
        panics::caught(usecase::ingest(
            self.store.as_ref(),
            puts,
            self.lifetime,
            now,
        ))
        .await
    }
}

fn only(answers: Answers) -> Result<Answer, IngestError> {
    match answers.into_iter().next() {
        Some(answer) => answer.map_err(IngestError::from),
        None => Err(IngestError::Broken("a command got no answer".to_owned())),
    }
}
