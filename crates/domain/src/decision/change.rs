//! Decided changes: a posting's new state with events and tasks.

use kernel::{
    Actor, PostingId, Version,
    event::{EventName, PostingState, Subject},
};
use uuid::Uuid;

use super::{PostingWrite, Snapshot, WriteSet};
use crate::{
    company::CompanyWrite,
    posting::{
        Cause, Decision, Fired, HistoryEntry, Posting, Rejection, Trigger, enrich, event,
        look_up_duplicates, settle_company,
    },
};

/// A decided change of one posting.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The posting after the change, with its texts, history and other writes.
    pub write: PostingWrite,
    /// Whether the posting itself is written, not only its company or an enrichment task.
    pub writes_posting: bool,
    /// The company's write, if it changes.
    pub company: Option<CompanyWrite>,
    /// The events to raise, in order: an event of the company precedes those of the posting.
    pub events: Vec<EventName>,
    /// Whether it asks for enrichment.
    pub asks_for_enrichment: bool,
    /// The import whose line caused the change.
    pub import: Option<Uuid>,
    /// Whether original and duplicates are looked up again, because the offer changed.
    pub looks_up: bool,
    /// The posting's id, if it may have duplicates. When the posting closes, they must be looked up
    /// again.
    may_have_copies: Option<PostingId>,
}

impl Change {
    pub(super) fn create(posting: Posting, by: Actor) -> Self {
        let entry = HistoryEntry {
            status: posting.status(),
            at: posting.created_at,
            reason: None,
            by,
        };
        let mut change = Self::new(None, posting);
        change.write.history.push(entry);
        change.asks_for_enrichment = true;
        change
    }

    pub(super) fn of(posting: &Posting) -> Self {
        Self::new(Some(posting.version), posting.clone())
    }

    fn new(expected: Option<Version>, posting: Posting) -> Self {
        Self {
            may_have_copies: (posting.is_open() && posting.has_texts()).then_some(posting.id),
            write: PostingWrite::new(expected, posting),
            writes_posting: true,
            company: None,
            events: Vec::new(),
            asks_for_enrichment: false,
            import: None,
            looks_up: false,
        }
    }

    pub(super) fn by(
        posting: &Posting,
        trigger: Trigger,
        cause: Cause<'_>,
    ) -> Result<Option<Self>, Rejection> {
        let mut change = Self::of(posting);
        let is_step = change.fire(trigger, cause)?;
        Ok(is_step.then_some(change))
    }

    /// Fires a trigger, and adds its history step. Returns whether the trigger caused a step.
    pub(super) fn fire(&mut self, trigger: Trigger, cause: Cause<'_>) -> Result<bool, Rejection> {
        let step = match self.write.posting.fire(trigger, cause) {
            Fired::Moved(step) | Fired::Stayed(Some(step)) => step,
            Fired::Stayed(None) => return Ok(false),
            Fired::Refused(rejection) => return Err(rejection),
        };
        self.write.history.push(step.entry);
        self.asks_for_enrichment |= step.asks_for_enrichment;
        if let Some(event) = step.event {
            self.raise(event);
        }
        Ok(true)
    }

    pub(super) fn raise(&mut self, event: EventName) {
        if !self.events.contains(&event) {
            self.events.push(event);
        }
    }

    /// Whether the same command, repeated after the commit, changes nothing.
    pub fn is_repeatable(&self) -> bool {
        !self.asks_for_enrichment || self.write.expected.is_none()
    }

    /// Adds the change to a commit, which changes each posting at most once, and to the state of
    /// the batch's next decision.
    pub fn record(mut self, snapshot: &mut Snapshot, writes: &mut WriteSet) {
        let id = self.write.posting.id;
        if self.writes_posting {
            self.write
                .note_replaced(snapshot, self.import, writes.tasks.at);
            debug_assert!(!writes.postings.contains_key(&id), "it is changed twice");
            self.write.posting.version = self.write.expected.map_or(1, |version| version + 1);
            self.write.posting.locate_description();
        }
        self.record_events(writes);
        if self.asks_for_enrichment {
            writes.tasks.ask(enrich(id));
        }
        let is_open = self.write.posting.is_open();
        if let Some(id) = self.may_have_copies.filter(|_| !is_open || self.looks_up) {
            writes.tasks.ask(look_up_duplicates(id));
        }
        if let Some(write) = self.company {
            let company = write.company.clone();
            if write.sets_name {
                writes.tasks.ask(settle_company(company.id));
            }
            match writes.companies.get_mut(&company.id) {
                Some(earlier) => earlier.then(write),
                None => drop(writes.companies.insert(company.id, write)),
            }
            snapshot.companies.insert(company.id, company);
        }
        if self.writes_posting {
            let posting = self.write.posting.clone();
            let identifier = posting.source_identifier.clone();
            snapshot.postings.insert(identifier, posting);
            writes.postings.insert(id, self.write);
        }
    }

    fn record_events(&self, writes: &mut WriteSet) {
        for name in &self.events {
            let company = self.company.as_ref();
            let company = company.filter(|_| *name == event::COMPANY_UPDATED);
            let subject = company.map_or_else(
                || Subject::Posting(self.state(name)),
                |write| Subject::Company(write.state()),
            );
            writes.tasks.raise(name.clone(), subject);
        }
    }

    /// The state for an event. Only approvals, rejections and expiries have the decision.
    fn state(&self, name: &EventName) -> PostingState {
        let decision = self.write.decision.as_ref();
        let decided = [
            event::JOB_POSTING_APPROVED,
            event::JOB_POSTING_REJECTED,
            event::JOB_POSTING_EXPIRED,
        ];
        let decision = decision.filter(|_| decided.contains(name));
        PostingState {
            decision: decision.map(Decision::for_event),
            ..PostingState::from(&self.write.posting)
        }
    }
}
