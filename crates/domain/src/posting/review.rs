//! What a posting says while it gets no verdict without an operator.

use kernel::{Status, line::bounded, outbox::LOST_TOO_OFTEN};

use super::Posting;

/// The longest quoted reason, in characters.
const LONGEST_REASON: usize = 240;

/// The reason of a posting in this status whose content gets no verdict, if it says so.
pub(crate) fn reason_without_verdict(status: Status, reason: &str) -> Option<String> {
    prefix(status).map(|prefix| prefix.to_owned() + &bounded(reason, LONGEST_REASON))
}

/// The prefix of the reason of a posting in this status that gets no verdict.
const fn prefix(status: Status) -> Option<&'static str> {
    match status {
        // Its newest content awaits a verdict.
        Status::Approved => Some("awaiting_review: "),
        // Its first verdict is left to an operator.
        Status::PendingEnrichment => Some("enrichment_failed: "),
        Status::Rejected | Status::Expired => None,
    }
}

/// Whether the posting's reason says that it gets no verdict without an operator.
pub(crate) fn awaits_review(posting: &Posting) -> bool {
    let reason = posting.status_reason.as_deref();
    prefix(posting.status)
        .is_some_and(|prefix| reason.is_some_and(|reason| reason.starts_with(prefix)))
}

/// Whether the posting got no verdict because workers died of it.
pub(crate) fn was_poison(posting: &Posting) -> bool {
    let reason = posting.status_reason.as_deref();
    awaits_review(posting) && reason.is_some_and(|reason| reason.ends_with(LOST_TOO_OFTEN))
}
