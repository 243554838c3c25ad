//! The rules of objections to decisions.

use kernel::{Actor, ClientId, Operator, Status};
use time::OffsetDateTime;

use super::Change;
use crate::posting::{
    Cause, ContentHash, Decision, DecisionOutcome, Lifetime, Objection, ObjectionState,
    PostingView, Rejection, Trigger, event,
};

/// Why an objection or an answer is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The posting is neither rejected nor taken down by a decision.
    #[error("There is no rejection or removal to object to.")]
    NothingDecided,
    /// The client has already objected to the decision.
    #[error("This decision has an objection already.")]
    Repeated,
    /// No objection waits.
    #[error("There is no objection that waits for an answer.")]
    NothingWaits,
    /// The state transition is not allowed.
    #[error(transparent)]
    Rejected(#[from] Rejection),
}

/// An operator's answer to an objection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectionAnswer {
    /// Whether the decision is reversed; otherwise it is upheld.
    pub reverses: bool,
    /// The answer to the client.
    pub sentence: String,
}

/// Decides whether a client may object to a posting's newest decision.
pub fn object(
    view: &PostingView,
    statement: &str,
    by: ClientId,
    now: OffsetDateTime,
) -> Result<Change, Refused> {
    let decision = view.decision.as_ref();
    let against = decision.filter(|it| it.ground.is_some() && !view.posting.is_open());
    let against = against.ok_or(Refused::NothingDecided)?;
    if against.objection.is_some() {
        return Err(Refused::Repeated);
    }
    let objection = Objection {
        at: now,
        against: against.at,
        statement: statement.to_owned(),
        state: ObjectionState::Waiting,
        sentence: None,
    };
    let mut change = Change::of(&view.posting);
    change.write.posting.touch(Actor::Client(by), now);
    change.write.decision = Some(with(against, objection));
    Ok(change)
}

/// Decides the effect of an operator's answer. A reversal restores the former state. A removed
/// posting is shown again if it was shown with the same content; otherwise it is judged again. A
/// rejected posting is approved.
pub fn answer(
    view: &PostingView,
    answer: &ObjectionAnswer,
    by: &Operator,
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Change, Refused> {
    let (posting, operator) = (&view.posting, Some(by.clone()));
    let waits = |it: &&Objection| it.state == ObjectionState::Waiting;
    let decision = view.decision.as_ref().ok_or(Refused::NothingWaits)?;
    let objection = decision.objection.as_ref().filter(waits);
    let mut objection = objection.ok_or(Refused::NothingWaits)?.clone();
    objection.sentence = Some(answer.sentence.clone());
    let mut change = Change::of(posting);
    let actor = Actor::Operator(operator.clone());
    if !answer.reverses {
        objection.state = ObjectionState::Upheld;
        change.write.posting.touch(actor, now);
        change.write.decision = Some(with(decision, objection));
        // Changes of an expired posting raise no event (the specification).
        if posting.status() != Status::Expired {
            change.raise(event::JOB_POSTING_UPDATED);
        }
        return Ok(change);
    }
    objection.state = ObjectionState::Reversed;
    let content = ContentHash::of(&posting.details, &view.company.company);
    let is_judged = [posting.enriched_hash, posting.approved_hash].contains(&Some(content));
    let cause = || Cause {
        content: Some(content),
        lifetime,
        ..Cause::new(actor.clone(), now)
    };
    let is_removal = decision.outcome == DecisionOutcome::Removed;
    if is_removal {
        let reopened = Cause {
            reason: Some(&answer.sentence),
            ..cause()
        };
        change.fire(Trigger::ReopenByOperator, reopened)?;
    }
    change.write.decision = if is_removal && !(is_judged && was_shown(view, decision.at)) {
        Some(with(decision, objection))
    } else {
        change.fire(Trigger::ApproveByOperator, cause())?;
        Some(with(&Decision::approval(operator, now), objection))
    };
    Ok(change)
}

fn with(decision: &Decision, objection: Objection) -> Decision {
    Decision {
        objection: Some(objection),
        ..decision.clone()
    }
}

fn was_shown(view: &PostingView, removed: OffsetDateTime) -> bool {
    let mut earlier = view.history.iter().rev().filter(|entry| entry.at < removed);
    earlier
        .next()
        .is_some_and(|entry| entry.status == Status::Approved)
}
