//! The rule of operators' commands.

use kernel::{Actor, Operator, Status};
use time::OffsetDateTime;

use super::Change;
use crate::{
    company::Company,
    posting::{
        Cause, ContentHash, Decision, DecisionOutcome, HistoryEntry, Lifetime, Posting, Rejection,
        Trigger, event, moderation::Moderation,
    },
};

/// Decides an operator's command; `None` if nothing changes.
pub fn decide(
    posting: &Posting,
    company: &Company,
    command: &Moderation,
    by: &Operator,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Option<Change>, Rejection> {
    let operator = Some(by.clone());
    let actor = Actor::Operator(operator.clone());
    let (trigger, decision) = match command {
        Moderation::Feature(on) => return Ok(feature(posting, *on, actor, now)),
        Moderation::Approve => {
            let approval = Decision::approval(operator, now);
            (Trigger::ApproveByOperator, Some(approval))
        }
        Moderation::Reject { reason, ground } => {
            let rejected = DecisionOutcome::Rejected;
            let statement = Decision::statement(rejected, reason, *ground, operator, now);
            (Trigger::RejectByOperator, Some(statement))
        }
        Moderation::Expire { reason, ground } => {
            let removed = DecisionOutcome::Removed;
            let statement = Decision::statement(removed, reason, *ground, operator, now);
            (Trigger::ExpireByOperator, Some(statement))
        }
        Moderation::Reopen { .. } => (Trigger::ReopenByOperator, None),
    };
    let cause = Cause {
        reason: command.reason(),
        content: Some(ContentHash::of(&posting.details, company)),
        lifetime,
        ..Cause::new(actor, now)
    };
    let mut change = Change::by(posting, trigger, cause)?;
    if let Some(change) = &mut change {
        change.write.decision = decision;
    }
    Ok(change)
}

fn feature(posting: &Posting, on: bool, by: Actor, now: OffsetDateTime) -> Option<Change> {
    if posting.is_featured == on {
        return None;
    }
    let mut change = Change::of(posting);
    change.write.posting.is_featured = on;
    // The history gets an entry, but the status keeps its reason.
    change.write.history.push(HistoryEntry {
        status: posting.status(),
        at: now,
        reason: Some(if on { "featured" } else { "no longer featured" }.to_owned()),
        by: by.clone(),
    });
    change.write.posting.touch(by, now);
    // Changes of an expired posting raise no event (the specification).
    if posting.status() != Status::Expired {
        change.raise(event::JOB_POSTING_UPDATED);
    }
    Some(change)
}
