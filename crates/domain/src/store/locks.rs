//! Rows that a commit locks and other transactions may hold.

use std::collections::BTreeSet;

use async_trait::async_trait;
use kernel::{CompanyId, PostingId, StoreError};

use crate::decision::WriteSet;

/// The rows that a commit locks, except inserted ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowLocks {
    /// Postings that it changes, enriches or raises events of.
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

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.postings.is_empty() && self.companies.is_empty()
    }
}

/// The port to the locks of a store that locks rows.
#[async_trait]
pub trait LockedRows: Send + Sync {
    /// The rows among these locked by other transactions, without waiting. None by default: a store
    /// with one writer has no such rows.
    async fn locked_rows(&self, _rows: &RowLocks) -> Result<RowLocks, StoreError> {
        Ok(RowLocks::default())
    }
}
