//! A lane's commits in progress, and their rows.

use std::collections::{HashMap, HashSet};

use kernel::{CompanyId, SourceIdentifier};
use tokio::{
    task::{Id, JoinError, JoinSet},
    time::Instant,
};

use super::job::Job;

pub(super) struct Rows {
    pub postings: Vec<SourceIdentifier>,
    pub companies: Vec<CompanyId>,
}

/// Commits in progress. No two touch the same posting, or write the same company.
#[derive(Default)]
pub(super) struct InFlightSet {
    tasks: JoinSet<()>,
    rows: HashMap<Id, Rows>,
    postings: HashSet<SourceIdentifier>,
    companies: HashSet<CompanyId>,
    last_start: Option<Instant>,
}

impl InFlightSet {
    pub fn start(&mut self, rows: Rows, commit: impl Future<Output = ()> + Send + 'static) {
        self.postings.extend(rows.postings.iter().cloned());
        self.companies.extend(&rows.companies);
        self.last_start = Some(Instant::now());
        let id = self.tasks.spawn(commit).id();
        self.rows.insert(id, rows);
    }

    /// Waits for the end of a commit. Never returns if no commit is in progress.
    pub async fn next_end(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(ended) => self.end(ended),
            None => std::future::pending().await,
        }
    }

    pub fn end_done(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.end(ended);
        }
    }

    fn end(&mut self, ended: Result<(Id, ()), JoinError>) {
        let id = ended.map_or_else(
            |error| {
                // The commit's commands are lost, and their clients get 503.
                tracing::error!(%error, "a commit of an ingest lane ended badly");
                error.id()
            },
            |(id, ())| id,
        );
        if let Some(rows) = self.rows.remove(&id) {
            for identifier in &rows.postings {
                self.postings.remove(identifier);
            }
            for id in &rows.companies {
                self.companies.remove(id);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn last_start(&self) -> Option<Instant> {
        self.last_start
    }

    pub fn writes_any(&self, mut companies: impl Iterator<Item = CompanyId>) -> bool {
        !self.companies.is_empty() && companies.any(|id| self.companies.contains(&id))
    }

    /// Whether a command must wait for its posting, or for a company that its decision depends on.
    pub fn conflicts_with(&self, job: &Job) -> bool {
        let named = job.put.patch.company().key();
        let companies = (job.waits_for.into_iter()).chain(named.into_iter().map(CompanyId::of));
        !job.is_dry_run
            && (self.postings.contains(&job.put.identifier) || self.writes_any(companies))
    }
}
