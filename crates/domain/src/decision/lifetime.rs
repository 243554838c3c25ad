//! The end of a posting's lifetime.

use kernel::Actor;
use time::OffsetDateTime;

use super::Change;
use crate::posting::Posting;

/// The reason in the history of an expired posting.
pub const REASON: &str = "The posting's lifetime ended.";

/// Expires a posting whose lifetime has ended; `None` if it has not, or was renewed meanwhile.
pub fn expire_if_overdue(posting: &Posting, now: OffsetDateTime) -> Option<Change> {
    if !posting.is_overdue(now) {
        return None;
    }
    let mut change = Change::of(posting);
    change.expire(Some(REASON.to_owned()), Actor::Lifetime, now);
    Some(change)
}
