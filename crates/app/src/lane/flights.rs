//! What a lane has under way: commits, and reads of commands whose snapshots were stale.

use std::collections::{HashMap, HashSet};

use kernel::{CompanyId, SourceIdentifier};
use tokio::{
    task::{Id, JoinError, JoinSet},
    time::Instant,
};

use super::{job::Job, snapshot::Written};

/// The tasks under way, and the rows that they touch. No other one may touch these.
#[derive(Default)]
pub(super) struct Flights {
    tasks: JoinSet<Vec<Job>>,
    under_way: HashMap<Id, Flight>,
    postings: HashSet<SourceIdentifier>,
    /// Those that are written, by how many.
    companies: HashMap<CompanyId, usize>,
    commits: usize,
    last_commit: Option<Instant>,
}

struct Flight {
    touches: Written,
    is_commit: bool,
}

impl Flights {
    /// Starts a commit, or a read. Its output are commands that are to be taken up again.
    pub fn start(
        &mut self,
        is_commit: bool,
        touches: Written,
        task: impl Future<Output = Vec<Job>> + Send + 'static,
    ) {
        self.postings.extend(touches.postings.iter().cloned());
        for id in &touches.companies {
            *self.companies.entry(*id).or_default() += 1;
        }
        if is_commit {
            self.commits += 1;
            self.last_commit = Some(Instant::now());
        }
        let id = self.tasks.spawn(task).id();
        let flight = Flight { touches, is_commit };
        self.under_way.insert(id, flight);
    }

    /// Waits for the next one to end, and gives the commands back that are to be taken up again;
    /// never returns if none is under way.
    pub async fn next_end(&mut self) -> Vec<Job> {
        let (id, jobs) = match self.tasks.join_next_with_id().await {
            Some(Ok(ended)) => ended,
            // Its commands are lost, and their clients get 503.
            Some(Err(error)) => (lost(&error), Vec::new()),
            None => std::future::pending().await,
        };
        if let Some(flight) = self.under_way.remove(&id) {
            self.commits -= usize::from(flight.is_commit);
            for identifier in &flight.touches.postings {
                self.postings.remove(identifier);
            }
            for id in &flight.touches.companies {
                if let Some(count) = self.companies.get_mut(id) {
                    *count -= 1;
                    if *count == 0 {
                        self.companies.remove(id);
                    }
                }
            }
        }
        jobs
    }

    pub fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// How many commits are under way.
    pub fn commits(&self) -> usize {
        self.commits
    }

    /// How many reads are under way.
    pub fn reads(&self) -> usize {
        self.under_way.len() - self.commits
    }

    /// When the last commit began.
    pub fn last_commit(&self) -> Option<Instant> {
        self.last_commit
    }

    /// Whether a command has to wait: for its posting, or for a company that its decision depends
    /// on and that a commit under way writes.
    pub fn hold_up(&self, job: &Job) -> bool {
        self.postings.contains(&job.put.identifier)
            || !self.companies.is_empty()
                && (job.snapshot.iter().flat_map(|snapshot| snapshot.uses()))
                    .any(|id| self.companies.contains_key(id))
    }
}

fn lost(error: &JoinError) -> Id {
    tracing::error!(%error, "a commit of an ingest lane ended badly");
    error.id()
}
