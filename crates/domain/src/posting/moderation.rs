//! Commands of operators about postings.

use time::OffsetDateTime;

use super::{
    Actor, Change, ContentHash, HistoryEntry, Lifetime, Posting, Rejection, Status, event, outcome,
};
use crate::company::Company;

/// An operator's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moderation {
    /// Approve the present content, whatever an enricher decides. Content that is pushed later is
    /// judged as usual.
    Approve,
    /// Reject the posting, whatever an enricher decides and a client pushes.
    Reject {
        /// The reason.
        reason: String,
    },
    /// Feature it, or no longer.
    Feature(bool),
}

/// Decides an operator's command; `None` when there is nothing to change.
pub fn decide(
    posting: &Posting,
    company: &Company,
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
    if let Moderation::Reject { reason } = command {
        change.posting.approved_hash = None;
        outcome::reject(&mut change, reason.clone(), Actor::Operator, now);
    } else {
        change.posting.approved_hash = Some(ContentHash::of(&posting.details, company));
        outcome::approve(&mut change, Actor::Operator, lifetime, now);
        // Its texts may belong to other content, or be missing.
        change.ask_if_due(company);
    }
    let is_known = posting.moderated && posting.approved_hash == change.posting.approved_hash;
    if change.history.is_empty() && !is_known {
        // The reason stays, now with the operator as its actor.
        let reason = posting.status_reason.clone();
        change.move_to(posting.status, reason, Actor::Operator, now);
    }
    if change.events.is_empty() && change.posting.status_reason != posting.status_reason {
        change.raise(event::JOB_POSTING_UPDATED);
    }
    Ok((!change.history.is_empty()).then_some(change))
}

fn feature(posting: &Posting, on: bool, now: OffsetDateTime) -> Option<Change> {
    if posting.is_featured == on {
        return None;
    }
    let mut change = Change::of(posting);
    change.posting.is_featured = on;
    // A history entry without a change of status, whose reason stays.
    change.history.push(HistoryEntry {
        status: posting.status,
        at: now,
        reason: Some(if on { "featured" } else { "no longer featured" }.to_owned()),
        by: Actor::Operator,
    });
    change.touch(Actor::Operator, now);
    change.raise(event::JOB_POSTING_UPDATED);
    Some(change)
}
