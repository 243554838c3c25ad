//! Vocabulary about postings that all contexts share.

use fields::{Term as _, vocabulary::vocabulary};

vocabulary! {
    /// The status of a posting.
    Status {
        /// Waits for a verdict.
        PendingEnrichment = "PendingEnrichment" | "pending",
        /// May be shown.
        Approved = "approved",
        /// Must not be shown.
        Rejected = "rejected",
        /// Was taken down.
        Expired = "expired",
    }
}

impl Status {
    /// Whether the posting is or may become visible: waiting or approved.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::PendingEnrichment | Self::Approved)
    }

    /// Parses a filter's status; `pending` is short for `PendingEnrichment`.
    pub fn of_filter(text: &str) -> Result<Self, String> {
        let short = (text == "pending").then_some(Self::PendingEnrichment);
        short.or_else(|| Self::parse(text)).ok_or_else(|| {
            let meant = Self::likely(text).map(|likely| format!("; is \"{likely}\" meant?"));
            format!("must be {}{}", Self::EXPECTED, meant.unwrap_or_default())
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_names_no_status_suggests_one() {
        for status in Status::ALL {
            assert_eq!(Status::of_filter(status.as_str()), Ok(*status));
        }
        assert_eq!(Status::of_filter("pending"), Ok(Status::PendingEnrichment));
        for (text, meant) in [
            ("Approved", "; is \"approved\" meant?"),
            ("reject", "; is \"rejected\" meant?"),
            ("Pending", "; is \"PendingEnrichment\" meant?"),
            ("pendingenrichment", "; is \"PendingEnrichment\" meant?"),
            ("live", ""),
        ] {
            let all = "must be one of PendingEnrichment, approved, rejected, expired";
            assert_eq!(
                Status::of_filter(text),
                Err(format!("{all}{meant}")),
                "{text}"
            );
        }
    }
}
