//! What an operator may do with a posting.

use time::OffsetDateTime;

use super::{Actor, Change, HistoryEntry, Lifetime, Posting, Rejection, Status, outcome};
use crate::outbox::EventName;

/// An operator's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moderation {
    /// Show it, whatever an enricher says.
    Approve,
    /// Do not show it, whatever an enricher says.
    Reject {
        /// Why.
        reason: String,
    },
    /// Feature it, or no longer.
    Feature(bool),
}

/// Decides an operator's command; `None` when there is nothing to change.
pub fn decide(
    posting: &Posting,
    command: &Moderation,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Option<Change>, Rejection> {
    let to = match command {
        Moderation::Approve => Status::Approved,
        Moderation::Reject { .. } => Status::Rejected,
        Moderation::Feature(on) => return Ok(feature(posting, *on, now)),
    };
    if posting.status == Status::Expired {
        return Err(Rejection::Transition {
            from: posting.status,
            to,
        });
    }
    let mut change = Change::of(posting);
    change.posting.moderated = true;
    match command {
        Moderation::Reject { reason } => {
            outcome::reject(&mut change, reason.clone(), Actor::Operator, now);
        }
        _ => outcome::approve(&mut change, Actor::Operator, lifetime, now),
    }
    if change.history.is_empty() && !posting.moderated {
        // The enricher said so before; from now on it is the operator who says so.
        let reason = posting.status_reason.clone();
        change.move_to(posting.status, reason, Actor::Operator, now);
    }
    Ok((!change.history.is_empty()).then_some(change))
}

fn feature(posting: &Posting, on: bool, now: OffsetDateTime) -> Option<Change> {
    if posting.is_featured == on {
        return None;
    }
    let mut change = Change::of(posting);
    change.posting.is_featured = on;
    // A step of the history, but none of the status: the reason for that stands.
    change.history.push(HistoryEntry {
        status: posting.status,
        at: now,
        reason: Some(if on { "featured" } else { "no longer featured" }.to_owned()),
        by: Actor::Operator,
    });
    change.touch(now);
    change.raise(EventName::JobPostingUpdated);
    Some(change)
}
