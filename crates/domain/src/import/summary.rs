//! The sum of an import.

use super::{Changes, Counts, Missing};

/// The sum of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The receipts by outcome.
    pub counts: Counts,
    /// The missing postings of a catalogue, once they are known.
    pub missing: Option<Missing>,
    /// What a complete import did to what was there.
    pub changes: Option<Changes>,
    /// Whether every line has an answer, and the body ended as it should.
    pub complete: bool,
}

impl Summary {
    /// The changes that make the import degraded, by name; none of most imports.
    pub fn degraded(&self) -> Vec<String> {
        let changes = self.changes.as_ref().filter(|_| self.complete);
        changes.map_or_else(Vec::new, |changes| changes.degraded(self.counts.lines))
    }
}
