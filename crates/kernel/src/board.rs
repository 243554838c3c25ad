//! The words about postings that every context uses.

use crate::vocabulary::vocabulary;

vocabulary! {
    /// The status of a posting.
    Status {
        /// Waits for its first verdict.
        PendingEnrichment = "PendingEnrichment",
        /// May be shown.
        Approved = "approved",
        /// Must not be shown.
        Rejected = "rejected",
        /// Was taken down.
        Expired = "expired",
    }
}

impl Status {
    /// Whether the posting is, or may become, visible: it waits for a verdict or is approved.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::PendingEnrichment | Self::Approved)
    }
}

vocabulary! {
    /// The outcome of an accepted command.
    PutOutcome {
        /// The posting was created.
        Created = "created",
        /// The posting or its company was changed.
        Updated = "updated",
        /// Nothing was changed.
        Unchanged = "unchanged",
        /// The posting was expired.
        Expired = "expired",
        /// An expired posting was reopened.
        Reopened = "reopened",
    }
}
