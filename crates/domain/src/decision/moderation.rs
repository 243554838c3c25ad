//! The rule of operators' commands.

use kernel::{Actor, Status, audit::Operator};
use time::OffsetDateTime;

use super::Change;
use crate::{
    authority,
    company::Company,
    posting::{
        ContentHash, Decision, DecisionOutcome, HistoryEntry, Lifetime, Posting, Rejection,
        Trigger, event, moderation::Moderation, review,
    },
};

/// Whether an operator's command about the status is worth offering: it would move the posting, or
/// settle what would not stay so by itself.
pub fn is_offered(command: Trigger, posting: &Posting) -> bool {
    command.moves(posting.status)
        || match command {
            // Content that awaits a review.
            Trigger::ApproveByOperator => review::awaits_review(posting),
            // An enricher's rejection, which another push may end.
            Trigger::RejectByOperator => posting.status == Status::Rejected && !posting.moderated,
            _ => false,
        }
}

/// Decides an operator's command; `None` when there is nothing to change.
pub fn decide(
    posting: &Posting,
    company: &Company,
    command: &Moderation,
    by: &Operator,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Option<Change>, Rejection> {
    let operator = Some(by.clone());
    let by = Actor::Operator(operator.clone());
    if let Some(trigger) = command.trigger() {
        trigger.check(posting)?;
    }
    let mut change = Change::of(posting);
    let decision = match command {
        Moderation::Feature(on) => return Ok(feature(posting, *on, by, now)),
        Moderation::Expire { .. } if authority::is_taken_down(posting) => return Ok(None),
        Moderation::Expire { reason, ground } => {
            let removed = DecisionOutcome::Removed;
            let decision = Decision::statement(removed, reason, *ground, operator, now);
            change.write.decision = Some(decision);
            change.expire(Some(reason.clone()), by, now);
            return Ok(Some(change));
        }
        Moderation::Reopen { reason } => {
            change.write.posting.details.expiration_reason = None;
            change.reopen(Some(reason.clone()), by, now);
            change.asks_for_enrichment = true;
            return Ok(Some(change));
        }
        Moderation::Reject { reason, ground } => {
            change.write.posting.approved_hash = None;
            change.reject(reason.clone(), by.clone(), now);
            Decision::statement(DecisionOutcome::Rejected, reason, *ground, operator, now)
        }
        Moderation::Approve => {
            change.write.posting.approved_hash = Some(ContentHash::of(&posting.details, company));
            change.approve(by.clone(), lifetime, now);
            // Its texts may belong to other content, or be missing. Workers that died of making
            // some would die again.
            if !review::was_poison(posting) {
                change.schedule_enrichment_if_stale(company);
            }
            Decision::approval(operator, now)
        }
    };
    change.write.decision = Some(decision);
    change.write.posting.moderated = true;
    let is_known = posting.moderated && posting.approved_hash == change.write.posting.approved_hash;
    if change.write.history.is_empty() && !is_known {
        // The reason stays, now with the operator as its actor.
        let reason = posting.status_reason.clone();
        change.move_to(posting.status, reason, by, now);
    }
    if change.write.history.is_empty() {
        return Ok(None);
    }
    if change.events.is_empty() {
        change.raise(event::JOB_POSTING_UPDATED);
    }
    Ok(Some(change))
}

fn feature(posting: &Posting, on: bool, by: Actor, now: OffsetDateTime) -> Option<Change> {
    if posting.is_featured == on {
        return None;
    }
    let mut change = Change::of(posting);
    change.write.posting.is_featured = on;
    // A history entry without a change of status, whose reason stays.
    change.write.history.push(HistoryEntry {
        status: posting.status,
        at: now,
        reason: Some(if on { "featured" } else { "no longer featured" }.to_owned()),
        by: by.clone(),
    });
    change.touch(by, now);
    // Changes of a posting that is expired already are no events (the specification).
    if posting.status != Status::Expired {
        change.raise(event::JOB_POSTING_UPDATED);
    }
    Some(change)
}
