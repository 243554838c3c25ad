//! [`Posting::fire`]: the only function that changes the state of a posting.
//!
//! It follows the [table](Trigger::on). The README has a drawing of the table, and a test compares
//! the two. `fire` also updates the reason and times, and decides the history step, the event, and
//! the need for enrichment.

use std::borrow::Cow;

use kernel::{Actor, Status, event::EventName};
use time::OffsetDateTime;

use super::{
    ContentHash, HistoryEntry, Lifetime, Posting, Rejection, Review, State, Trigger, event,
    lifetime::earlier, transition::Effect,
};

#[derive(Clone, Debug)]
pub(crate) struct Cause<'a> {
    pub(crate) by: Actor,
    pub(crate) at: OffsetDateTime,
    /// The reason of the new state, or of a missing verdict.
    pub(crate) reason: Option<&'a str>,
    /// The content that a verdict concerns.
    pub(crate) content: Option<ContentHash>,
    pub(crate) lifetime: Lifetime,
    pub(crate) review: Option<Review>,
}

impl Cause<'_> {
    pub(crate) const fn new(by: Actor, at: OffsetDateTime) -> Self {
        Self {
            by,
            at,
            reason: None,
            content: None,
            lifetime: Lifetime::NEVER,
            review: None,
        }
    }
}

#[derive(Debug, PartialEq)]
pub(crate) enum Fired {
    Moved(Step),
    /// The status stays. There is a step if the reason, review or operator's decision changed.
    Stayed(Option<Step>),
    Refused(Rejection),
}

#[derive(Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) entry: HistoryEntry,
    pub(crate) event: Option<EventName>,
    pub(crate) asks_for_enrichment: bool,
}

impl Posting {
    /// Changes the state by the [table](Trigger::on), with all consequences.
    pub(crate) fn fire(&mut self, trigger: Trigger, cause: Cause<'_>) -> Fired {
        let (before, after) = (self.state, self.target(trigger, &cause));
        match trigger.on(before) {
            Effect::Act => {}
            Effect::Stay => return Fired::Stayed(None),
            Effect::Refuse => {
                let (from, to) = (before.status(), after.status());
                return Fired::Refused(Rejection::Transition { from, to });
            }
            Effect::Protect => return Fired::Refused(Rejection::TakenDown),
        }
        let reason = match cause.review {
            Some(review) => cause
                .reason
                .map(|it| Cow::Owned(review.sentence(after.status(), it))),
            None => cause.reason.map(Cow::Borrowed),
        };
        let reason = reason.as_deref();
        let is_moved = after.status() != before.status();
        let is_step = is_moved || self.is_news(trigger, after, reason, cause.content);
        self.state = after;
        let is_judged = matches!(
            trigger,
            Trigger::ApproveByEnricher | Trigger::ApproveByOperator
        );
        if is_judged || matches!(after, State::Pending { .. } | State::Rejected { .. }) {
            self.shown = None;
        }
        if !is_step {
            return Fired::Stayed(None);
        }
        let asks_for_enrichment = match trigger {
            // Workers died while they made these texts, and would die again.
            Trigger::ApproveByOperator if before.review() == Some(Review::Poison) => false,
            // The texts may belong to other content, or be missing.
            Trigger::ApproveByOperator => self.enriched_hash != cause.content,
            _ => is_moved && after.status() == Status::PendingEnrichment,
        };
        if is_moved {
            self.arrive(&cause);
        }
        let reason = reason.map(str::to_owned);
        match trigger {
            Trigger::ApproveByOperator => self.approved_hash = cause.content,
            Trigger::RejectByOperator => self.approved_hash = None,
            Trigger::Expire => self.details.expiration_reason.clone_from(&reason),
            _ => {}
        }
        self.status_reason.clone_from(&reason);
        self.touch(cause.by.clone(), cause.at);
        let entry = HistoryEntry {
            status: after.status(),
            at: cause.at,
            reason,
            by: cause.by,
        };
        let step = |event| Step {
            entry,
            event,
            asks_for_enrichment,
        };
        if is_moved {
            Fired::Moved(step(Some(arrival(after))))
        } else {
            Fired::Stayed(Some(step(trigger.event_without_move())))
        }
    }

    fn target(&self, trigger: Trigger, cause: &Cause<'_>) -> State {
        let expired = |moderated| State::Expired {
            at: self.state.expired_at().unwrap_or(cause.at),
            moderated,
        };
        let approved = |moderated| State::Approved {
            review: None,
            moderated,
        };
        match trigger {
            Trigger::Expire | Trigger::Lapse => expired(false),
            Trigger::ExpireByOperator => expired(true),
            Trigger::Reopen | Trigger::Relist | Trigger::ReopenByOperator => {
                State::Pending { review: None }
            }
            // An operator may have approved this content before other content got another verdict.
            Trigger::ApproveByEnricher => {
                approved(self.approved_hash.is_some() && self.approved_hash == cause.content)
            }
            Trigger::ApproveByOperator => approved(true),
            Trigger::RejectByEnricher => State::Rejected { moderated: false },
            Trigger::RejectByOperator => State::Rejected { moderated: true },
            Trigger::LeaveUnjudged | Trigger::EndReview => self.state.reviewed(cause.review),
        }
    }

    /// Whether a trigger without a status change is still a history step.
    fn is_news(
        &self,
        trigger: Trigger,
        after: State,
        reason: Option<&str>,
        content: Option<ContentHash>,
    ) -> bool {
        let is_other = after != self.state;
        match trigger {
            Trigger::Expire => {
                reason.is_some() && reason != self.details.expiration_reason.as_deref()
            }
            Trigger::ApproveByEnricher | Trigger::EndReview => self.state.review().is_some(),
            Trigger::ApproveByOperator => {
                is_other || content != self.approved_hash || self.shown.is_some()
            }
            _ => is_other || reason != self.status_reason(),
        }
    }

    fn arrive(&mut self, cause: &Cause<'_>) {
        match self.state {
            // A verdict before the expiry does not count.
            State::Pending { .. } => {
                self.details.expiration_reason = None;
                self.enriched_hash = None;
                self.approved_hash = None;
                // The posting is open again, although the closing date has passed.
                if self.details.closes_at().is_some_and(|end| end <= cause.at) {
                    self.details.valid_through = None;
                }
                let lifetime = cause.lifetime.starting(cause.at);
                self.expire_at = earlier(lifetime, self.details.closes_at());
            }
            State::Approved { .. } => {
                self.published_at.get_or_insert(cause.at);
                let lifetime = cause.lifetime.starting(cause.at);
                self.expire_at = earlier(lifetime, self.details.closes_at());
            }
            State::Rejected { .. } => self.duplicate_of = None,
            State::Expired { .. } => {
                self.duplicate_of = None;
                if let Some(shown) = &mut self.shown {
                    shown.held = None;
                }
                self.details.expiration_reason = cause.reason.map(str::to_owned);
            }
        }
    }
}

impl Trigger {
    /// The event of a step without a status change. By the specification, a new reason for an
    /// expiry raises no event.
    const fn event_without_move(self) -> Option<EventName> {
        match self {
            Self::ApproveByOperator | Self::RejectByOperator | Self::EndReview => {
                Some(event::JOB_POSTING_UPDATED)
            }
            Self::ApproveByEnricher | Self::RejectByEnricher | Self::LeaveUnjudged => {
                Some(event::JOB_POSTING_ENRICHED)
            }
            _ => None,
        }
    }
}

const fn arrival(state: State) -> EventName {
    match state {
        State::Pending { .. } => event::JOB_POSTING_REOPENED,
        State::Approved { .. } => event::JOB_POSTING_APPROVED,
        State::Rejected { .. } => event::JOB_POSTING_REJECTED,
        State::Expired { .. } => event::JOB_POSTING_EXPIRED,
    }
}

#[cfg(test)]
mod tests {
    use kernel::{
        CompanyId,
        testing::{hours, noon},
    };

    use super::*;
    use crate::{posting::Original, testing::posting};

    /// The effect of each trigger. A column is a state: waits, waits for a review, approved,
    /// approved and waiting for a review, rejected, rejected by an operator, expired, expired by an
    /// operator. A cell is an event, a step without an event, nothing, or a refusal.
    const TABLE: &str = "
        client expires                      Expired  Expired  Expired  Expired  refused  refused  step     -
        operator expires                    Expired  Expired  Expired  Expired  refused  refused  step     -
        lifetime ends or catalogue drops it Expired  Expired  Expired  Expired  -        -        -        -
        client reopens                      -        -        -        -        -        down     Reopened down
        catalogue lists it or is undone     -        -        -        -        -        -        Reopened -
        operator reopens                    refused  refused  refused  refused  refused  refused  Reopened Reopened
        enricher approves                   Approved Approved -        Enriched Approved -        -        -
        enricher rejects                    Rejected Rejected Rejected Rejected Enriched -        -        -
        operator approves                   Approved Approved Updated  Updated  Approved Approved refused  refused
        operator rejects                    Rejected Rejected Rejected Rejected Updated  Updated  refused  refused
        enricher gives no verdict           Enriched Enriched Enriched Enriched -        -        -        -
        push ends a review                  -        Updated  -        Updated  -        -        -        -";

    fn states() -> [State; 8] {
        let review = Some(Review::NoVerdict);
        let approved = |review| State::Approved {
            review,
            moderated: false,
        };
        let rejected = |moderated| State::Rejected { moderated };
        let at = noon();
        let expired = |moderated| State::Expired { at, moderated };
        [
            State::Pending { review: None },
            State::Pending { review },
            approved(None),
            approved(review),
            rejected(false),
            rejected(true),
            expired(false),
            expired(true),
        ]
    }

    fn fire(trigger: Trigger, state: State) -> (Posting, Fired) {
        let mut posting = posting(1, CompanyId::new(uuid::Uuid::nil()));
        posting.put_in(state, None);
        posting.approved_hash = Some(ContentHash::from_bytes([7; 32]));
        posting.duplicate_of = Some(Original {
            id: posting.id,
            source_identifier: posting.source_identifier.clone(),
        });
        let cause = Cause {
            reason: Some("because"),
            review: (trigger == Trigger::LeaveUnjudged).then_some(Review::Poison),
            ..Cause::new(Actor::Enricher, noon() + hours(1))
        };
        let fired = posting.fire(trigger, cause);
        (posting, fired)
    }

    #[test]
    fn each_trigger_does_what_its_row_says() {
        let rows: Vec<_> = TABLE.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(rows.len(), Trigger::ALL.len());
        for (trigger, row) in Trigger::ALL.iter().zip(rows) {
            let cells = row.trim().strip_prefix(trigger.as_str()).unwrap();
            for (state, expect) in states().into_iter().zip(cells.split_whitespace()) {
                let (posting, fired) = fire(*trigger, state);
                let step = match &fired {
                    Fired::Moved(step) | Fired::Stayed(Some(step)) => Some(step),
                    Fired::Stayed(None) | Fired::Refused(_) => None,
                };
                let cell = match (&fired, step.map(|step| &step.event)) {
                    (_, Some(Some(event))) => event.as_str().trim_start_matches("JobPosting"),
                    (_, Some(None)) => "step",
                    (Fired::Refused(Rejection::TakenDown), _) => "down",
                    (Fired::Refused(_), _) => "refused",
                    _ => "-",
                };
                assert_eq!(cell, expect, "{trigger} on {state:?}");
                let Some(step) = step else {
                    assert_eq!(posting.state(), state, "{trigger}");
                    continue;
                };
                let status = match cell {
                    "Expired" => Status::Expired,
                    "Reopened" => Status::PendingEnrichment,
                    "Approved" => Status::Approved,
                    "Rejected" => Status::Rejected,
                    _ => state.status(),
                };
                let is_moved = matches!(fired, Fired::Moved(_));
                assert_eq!(is_moved, status != state.status(), "{trigger} on {state:?}");
                let is_expiry = is_moved && status == Status::Expired;
                let expiration_reason = posting.details.expiration_reason.as_deref();
                let has_reason = is_expiry || *trigger == Trigger::Expire;
                assert_eq!(expiration_reason, has_reason.then_some("because"));
                let is_hidden = is_expiry || is_moved && status == Status::Rejected;
                assert_eq!(posting.duplicate_of.is_none(), is_hidden, "{trigger}");
                let has_approval = match trigger {
                    Trigger::ApproveByOperator | Trigger::RejectByOperator => false,
                    _ => !is_moved || status != Status::PendingEnrichment,
                };
                assert_eq!(posting.approved_hash.is_some(), has_approval, "{trigger}");
                let expired_at = state.expired_at().or(Some(step.entry.at));
                assert_eq!(
                    (posting.status(), posting.expired_at()),
                    (status, expired_at.filter(|_| status == Status::Expired)),
                    "{trigger} on {state:?}"
                );
                let by_operator = trigger.as_str().starts_with("operator");
                let is_moderated = by_operator && status != Status::PendingEnrichment;
                assert_eq!(
                    posting.is_moderated(),
                    is_moderated,
                    "{trigger} on {state:?}"
                );
                let entry = HistoryEntry {
                    status,
                    at: noon() + hours(1),
                    reason: posting.status_reason().map(str::to_owned),
                    by: Actor::Enricher,
                };
                assert_eq!(step.entry, entry, "{trigger} on {state:?}");
                assert_eq!(posting.updated_by.as_ref(), Some(&entry.by));
            }
        }
    }

    #[test]
    fn the_readme_draws_the_moves() {
        let readme = include_str!("../../README.md");
        let arrows = readme.lines().map(str::trim);
        let arrows: Vec<_> = arrows.filter(|line| line.contains(" --> ")).collect();
        let mut expect = vec!["[*] --> PendingEnrichment: client creates".to_owned()];
        for from in Status::ALL {
            for to in Status::ALL {
                let moves = |trigger: &&Trigger| {
                    let from = states().into_iter().filter(|it| it.status() == *from);
                    let mut fired = from.map(|state| fire(**trigger, state).1);
                    fired.any(|it| matches!(it, Fired::Moved(step) if step.entry.status == *to))
                };
                let names = Trigger::ALL.iter().filter(moves).map(|it| it.as_str());
                let names: Vec<_> = names.collect();
                if !names.is_empty() {
                    expect.push(format!("{from} --> {to}: {}", names.join(", ")));
                }
            }
        }
        assert_eq!(arrows, expect);
    }
}
