//! Rows that a commit locks, and that other transactions may have locked.

use std::collections::BTreeSet;

use async_trait::async_trait;
use kernel::{CompanyId, PostingId, StoreError};

use crate::decision::WriteSet;

/// The rows that a commit locks, except inserted ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowLocks {
    /// Postings that it changes or enriches, or whose events it raises.
    pub postings: BTreeSet<PostingId>,
    /// Companies that it writes.
    pub companies: BTreeSet<CompanyId>,
}

impl RowLocks {
    /// The locks of a commit.
    pub fn of(writes: &WriteSet) -> Self {
        Self {
            postings: writes.concerned(),
            companies: writes.companies.keys().copied().collect(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.postings.is_empty() && self.companies.is_empty()
    }
}

/// The port to the locks of a store that locks rows.
#[async_trait]
pub trait LockedRows: Send + Sync {
    /// The rows among these that other transactions have locked, found without waiting. By default,
    /// returns no rows, because a store with one writer has no locked rows.
    async fn locked_rows(&self, _rows: &RowLocks) -> Result<RowLocks, StoreError> {
        Ok(RowLocks::default())
    }
}
