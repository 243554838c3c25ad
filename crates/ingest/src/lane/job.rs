//! A command in a lane, and its answer.

use std::sync::Arc;

use domain::{
    catalogue::CatalogueLease,
    posting::{Answer, PutPosting, Rejection},
    usecase::IngestError,
};
use kernel::{CompanyId, StoreError};
use tokio::{
    sync::{OwnedSemaphorePermit, oneshot},
    time::{Instant, timeout_at},
};

pub(super) struct Job {
    pub put: Arc<PutPosting>,
    pub lease: Option<CatalogueLease>,
    pub is_dry_run: bool,
    /// The company of its posting, if a commit in progress writes it.
    pub waits_for: Option<CompanyId>,
    pub deadline: Instant,
    pub reply: oneshot::Sender<Result<Answer, IngestError>>,
    pub _slot: OwnedSemaphorePermit,
}

impl Job {
    /// Whether its deadline is over, so the client already has a 503.
    pub fn is_late(&self) -> bool {
        self.deadline <= Instant::now()
    }

    pub fn answer(self, answer: Result<Answer, IngestError>) {
        // The client may have disconnected. The commit is still valid.
        let _ = self.reply.send(answer);
    }
}

pub(super) struct Pending {
    pub answer: oneshot::Receiver<Result<Answer, IngestError>>,
    pub deadline: Instant,
}

impl Pending {
    pub async fn answer(self) -> Result<Answer, IngestError> {
        match timeout_at(self.deadline, self.answer).await {
            Ok(Ok(answer)) => answer,
            // A lane drops late commands.
            Ok(Err(_)) if self.deadline > Instant::now() => Err(unavailable(STOPPED)),
            Ok(Err(_)) | Err(_) => Err(unavailable(TOO_LONG)),
        }
    }
}

pub(super) const STOPPING: &str = "the service is stopping";
const STOPPED: &str = "the service stopped before it had an answer";
pub(super) const TOO_LONG: &str = "it took too long";

pub(super) fn unavailable(why: &str) -> IngestError {
    IngestError::Unavailable(why.to_owned())
}

pub(super) fn failed(error: StoreError) -> IngestError {
    match error {
        StoreError::Conflict => unavailable("others kept changing the same posting"),
        StoreError::Broken(why) => IngestError::Broken(why),
        StoreError::Unavailable(why) | StoreError::InDoubt(why) | StoreError::Locked(why) => {
            IngestError::Unavailable(why)
        }
    }
}

/// The answer to a command whose commit is in doubt. It includes the answer that holds if the
/// commit succeeded.
pub(super) fn in_doubt(why: &str, answer: Result<Answer, Rejection>) -> IngestError {
    let why = why.to_owned();
    match answer.map(Box::new) {
        Ok(answer) => IngestError::InDoubt { why, answer },
        Err(_) => IngestError::Unavailable(why),
    }
}

pub(super) fn refuse(jobs: Vec<Job>, error: &StoreError) {
    for job in jobs {
        job.answer(Err(failed(error.clone())));
    }
}
