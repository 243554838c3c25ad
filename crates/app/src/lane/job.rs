//! A command on its way through a lane, and its answer.

use std::{collections::HashSet, sync::Arc};

use domain::{
    posting::{Answer, PutPosting},
    store::Known,
    usecase::{Answers, IngestError},
};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc, oneshot},
    time::Instant,
};

use super::snapshot::{Read, RecentWrites, Snapshot};

/// A command on its way.
pub(super) struct Job {
    pub put: Arc<PutPosting>,
    /// Whether it is answered by the first stage, without a commit.
    pub is_dry_run: bool,
    /// The state that it was read against, once it was.
    pub snapshot: Option<Box<Snapshot>>,
    pub deadline: Instant,
    pub reply: Reply,
    /// Its slot among the commands in flight, released with the answer.
    pub _slot: OwnedSemaphorePermit,
}

impl Job {
    /// Whether its deadline is over, so that the client already has a 503.
    pub fn is_late(&self) -> bool {
        self.deadline <= Instant::now()
    }

    /// Whether it has to be read before it is decided: it was not, or the lane has written since.
    pub fn is_outdated(&self, writes: &RecentWrites) -> bool {
        let identifier = &self.put.identifier;
        let snapshot = self.snapshot.as_ref();
        snapshot.is_none_or(|snapshot| writes.have_outdated(identifier, snapshot))
    }

    /// Answers the client.
    pub fn answer(self, answer: Result<Answer, IngestError>) {
        // The client may have hung up; what was committed stands.
        match self.reply {
            Reply::Push(reply) => {
                let _ = reply.send(answer);
            }
            Reply::Line(place, reply) => {
                let _ = reply.send((place, answer));
            }
        }
    }
}

/// The way of an answer.
pub(super) enum Reply {
    /// To the request of the push.
    Push(oneshot::Sender<Result<Answer, IngestError>>),
    /// To the import, with the place of the line in its batch.
    Line(
        usize,
        mpsc::UnboundedSender<(usize, Result<Answer, IngestError>)>,
    ),
}

/// Hands each command its posting and companies out of a batch's read. A posting that several
/// commands are for is copied.
pub(super) fn attach_snapshots(known: &mut Known, jobs: &mut [Job], read: &Arc<Read>) {
    let identifiers: HashSet<_> = jobs.iter().map(|job| &job.put.identifier).collect();
    let is_shared = identifiers.len() < jobs.len();
    for job in jobs {
        let snapshot = Snapshot::of(&job.put, known, is_shared, read);
        job.snapshot = Some(Box::new(snapshot));
    }
}

/// The reasons why a command has no answer.
pub(super) const STOPPING: &str = "the service is stopping";
pub(super) const STOPPED: &str = "the service stopped before it had an answer";
pub(super) const TOO_LONG: &str = "it took too long";

pub(super) fn unavailable(why: &str) -> IngestError {
    IngestError::Unavailable(why.to_owned())
}

/// The answer to the one command of a batch.
pub(super) fn only(answers: Answers) -> Result<Answer, IngestError> {
    match answers.into_iter().next() {
        Some(answer) => answer.map_err(IngestError::from),
        None => Err(IngestError::Broken("a command got no answer".to_owned())),
    }
}
