//! What a posting says while it gets no verdict without an operator.

use kernel::{Status, outbox::LOST_TOO_OFTEN};

use super::Posting;

/// The prefix of an approved posting's reason while its newest content awaits a verdict.
pub const AWAITING_REVIEW: &str = "awaiting_review: ";

/// The prefix of a posting's reason while its first verdict is left to an operator.
pub const ENRICHMENT_FAILED: &str = "enrichment_failed: ";

/// The longest quoted reason, in characters.
const LONGEST_REASON: usize = 240;

/// The reason of a posting in this status whose content gets no verdict, if it says so.
pub(crate) fn reason_without_verdict(status: Status, reason: &str) -> Option<String> {
    prefix(status).map(|prefix| on_one_line(prefix, reason))
}

/// The prefix of the reason of a posting in this status that gets no verdict.
const fn prefix(status: Status) -> Option<&'static str> {
    match status {
        Status::Approved => Some(AWAITING_REVIEW),
        Status::PendingEnrichment => Some(ENRICHMENT_FAILED),
        Status::Rejected | Status::Expired => None,
    }
}

/// A reason behind its prefix, on one line.
fn on_one_line(prefix: &str, reason: &str) -> String {
    let is_gap = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<_> = reason
        .split(is_gap)
        .filter(|word| !word.is_empty())
        .collect();
    let line = words.join(" ");
    let mut told: String = line.chars().take(LONGEST_REASON).collect();
    if told.len() < line.len() {
        told.push('…');
    }
    prefix.to_owned() + &told
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
