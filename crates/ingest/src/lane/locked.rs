//! Briefly remembers rows locked by other transactions, so that a batch waits for such a row once,
//! not once per command.

use std::time::Duration;

use domain::store::{RowLocks, Snapshot};
use kernel::{CompanyId, SourceIdentifier};
use runtime::Recent;

/// How long a row counts as locked after a failed lock attempt.
const MEMORY: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct LockedRows {
    postings: Recent<SourceIdentifier>,
    companies: Recent<CompanyId>,
}

impl LockedRows {
    pub fn forget_old(&mut self) {
        self.postings.forget_old();
        self.companies.forget_old();
    }

    pub fn has_posting(&self, identifier: &SourceIdentifier) -> bool {
        self.postings.has(identifier)
    }

    pub fn has_companies(&self) -> bool {
        !self.companies.is_empty()
    }

    pub fn conflicts_with(&self, locks: &RowLocks) -> bool {
        locks.companies.iter().any(|id| self.companies.has(id))
    }

    pub fn remember(&mut self, held: &RowLocks, snapshot: &Snapshot) {
        self.forget_old();
        let identifiers = snapshot.identifiers();
        for id in &held.postings {
            if let Some(identifier) = identifiers.get(id) {
                self.remember_posting(identifier);
            }
        }
        for id in &held.companies {
            let website = snapshot.companies.get(id).map(|company| &company.website);
            if self.companies.remember(*id, MEMORY) {
                warn("company", website.map_or("", |website| website.as_str()));
            }
        }
    }

    /// Remembers the rows of a commit that timed out without a visible lock: another transaction is
    /// inserting its posting or one of these companies.
    pub fn remember_unseen(&mut self, identifier: &SourceIdentifier, companies: &[CompanyId]) {
        self.forget_old();
        self.remember_posting(identifier);
        for id in companies {
            self.companies.remember(*id, MEMORY);
        }
    }

    fn remember_posting(&mut self, identifier: &SourceIdentifier) {
        if self.postings.remember(identifier.clone(), MEMORY) {
            warn("posting", identifier.as_str());
        }
    }
}

fn warn(what: &str, name: &str) {
    tracing::warn!(
        row = what,
        name,
        "another transaction holds a lock on this row; pushes that need it wait, or get 503"
    );
}
