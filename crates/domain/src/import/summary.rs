//! The totals of an import.

use super::{Changes, LineCounts, Missing};

/// The totals of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The receipts by outcome.
    pub counts: LineCounts,
    /// A catalogue's missing postings, once known.
    pub missing: Option<Missing>,
    /// The changes of a complete import.
    pub changes: Option<Changes>,
    /// Whether every line has an answer, and the body ended properly.
    pub complete: bool,
}

impl Summary {
    /// The names of changes that degrade the import; usually none.
    pub fn degraded(&self) -> Vec<String> {
        let changes = self.changes.as_ref().filter(|_| self.complete);
        changes.map_or_else(Vec::new, |changes| changes.degraded(self.counts.lines))
    }
}
