//! Decided changes: a posting's new state with its events and tasks.

use kernel::{
    Actor, PostingId, Status, Version,
    event::{Event, EventName, PostingState, Subject},
};
use time::OffsetDateTime;

use super::{PostingWrite, Snapshot, WriteSet};
use crate::{
    company::{Company, CompanyWrite},
    posting::{
        ContentHash, HistoryEntry, Lifetime, Posting, enrich, event, look_up_duplicates, review,
    },
};

/// A decided change of one posting.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The posting as it is afterwards, with what else is written of it.
    pub write: PostingWrite,
    /// Whether that is written. It is not when only the company changes.
    pub writes_posting: bool,
    /// The company's write, if it changes.
    pub company: Option<CompanyWrite>,
    /// The events it raises, in order: of the posting, and of its company.
    pub events: Vec<EventName>,
    /// Whether it asks for enrichment.
    pub asks_for_enrichment: bool,
    /// The posting's id, if others may be marked as its duplicates, which have to be looked up
    /// again when it closes.
    original: Option<PostingId>,
}

impl Change {
    /// A change of an existing posting, which changes nothing yet.
    pub(super) fn of(posting: &Posting) -> Self {
        Self::new(Some(posting.version), posting.clone())
    }

    /// A change of a posting with this version, or of a new one.
    pub(super) fn new(expected: Option<Version>, posting: Posting) -> Self {
        Self {
            original: (posting.status.is_open() && posting.has_texts()).then_some(posting.id),
            write: PostingWrite::new(expected, posting),
            writes_posting: true,
            company: None,
            events: Vec::new(),
            asks_for_enrichment: false,
        }
    }

    /// Sets the status with its reason, and adds the step to the history.
    pub(super) fn move_to(
        &mut self,
        status: Status,
        reason: Option<String>,
        by: Actor,
        now: OffsetDateTime,
    ) {
        self.write.posting.status = status;
        if !status.is_open() {
            self.write.posting.duplicate_of = None;
        }
        self.write.posting.status_reason.clone_from(&reason);
        self.write.history.push(HistoryEntry {
            status,
            at: now,
            reason,
            by: by.clone(),
        });
        self.touch(by, now);
    }

    /// Expires a posting. An operator's expiry stands until an operator reopens it. One that is
    /// expired gets the new reason, which is no event (the specification).
    pub(super) fn expire(&mut self, reason: Option<String>, by: Actor, now: OffsetDateTime) {
        let posting = &mut self.write.posting;
        posting.moderated = matches!(by, Actor::Operator(_));
        if posting.status != Status::Expired {
            posting.expired_at = Some(now);
            posting.details.expiration_reason.clone_from(&reason);
            self.raise(event::JOB_POSTING_EXPIRED);
        }
        self.move_to(Status::Expired, reason, by, now);
    }

    /// Brings an expired posting back, to be judged anew: a verdict from before the expiry does not
    /// count. The push may have set another reason for an expiry, so that is not cleared here.
    pub(super) fn reopen(&mut self, reason: Option<String>, by: Actor, now: OffsetDateTime) {
        self.write.posting.expired_at = None;
        self.write.posting.enriched_hash = None;
        self.write.posting.approved_hash = None;
        self.write.posting.moderated = false;
        self.move_to(Status::PendingEnrichment, reason, by, now);
        self.raise(event::JOB_POSTING_REOPENED);
    }

    /// Approves a posting, which publishes it and starts its lifetime. One that is approved needs
    /// no review any more.
    pub(super) fn approve(&mut self, by: Actor, lifetime: Lifetime, now: OffsetDateTime) {
        if self.write.posting.status != Status::Approved {
            self.write.posting.published_at.get_or_insert(now);
            self.write.posting.expire_at = lifetime.starting(now);
            self.raise(event::JOB_POSTING_APPROVED);
        } else if !review::awaits_review(&self.write.posting) {
            return;
        }
        self.move_to(Status::Approved, None, by, now);
    }

    /// Rejects a posting. One that is rejected for another reason gets this one.
    pub(super) fn reject(&mut self, reason: String, by: Actor, now: OffsetDateTime) {
        let reason = Some(reason);
        if self.write.posting.status != Status::Rejected {
            self.raise(event::JOB_POSTING_REJECTED);
        } else if self.write.posting.status_reason == reason {
            return;
        }
        self.move_to(Status::Rejected, reason, by, now);
    }

    /// Sets actor and time of the last change. The time never goes back, though clocks of several
    /// machines may disagree.
    pub(super) fn touch(&mut self, by: Actor, now: OffsetDateTime) {
        self.write.posting.updated_by = Some(by);
        self.write.posting.updated_at = self.write.posting.updated_at.max(now);
    }

    pub(super) fn raise(&mut self, event: EventName) {
        self.events.push(event);
    }

    /// Schedules an enrichment if the content is not that of the last outcome.
    pub(super) fn schedule_enrichment_if_stale(&mut self, company: &Company) {
        let posting = &self.write.posting;
        self.asks_for_enrichment = posting.status != Status::Expired
            && posting.enriched_hash != Some(ContentHash::of(&posting.details, company));
    }

    /// Schedules an enrichment if the content differs from that of the last outcome by the
    /// company's name alone, which a push of another posting has changed.
    pub(super) fn schedule_enrichment_if_renamed(&mut self, company: &Company) {
        let posting = &self.write.posting;
        self.asks_for_enrichment = posting.status != Status::Expired
            && posting.enriched_hash.is_some_and(|last| {
                last.differs_by_name_alone(&ContentHash::of(&posting.details, company))
            });
    }

    /// Whether the same command, sent again after the commit, changes nothing. One that schedules
    /// an enrichment does so again until the texts are there.
    pub fn is_repeatable(&self) -> bool {
        !self.asks_for_enrichment || self.write.expected.is_none()
    }

    /// Adds the change to a commit, and to the state that the batch's next decision is based on.
    pub fn record(mut self, snapshot: &mut Snapshot, writes: &mut WriteSet) {
        let id = self.write.posting.id;
        if self.writes_posting {
            if let Some(earlier) = writes.postings.remove(&id) {
                self.write.follow(earlier);
            }
            // However many commands change it, a commit moves a posting on by one version.
            self.write.posting.version = self.write.expected.map_or(1, |version| version + 1);
        }
        self.record_events(writes);
        if self.asks_for_enrichment {
            writes.tasks.ask(enrich(id));
        }
        let is_open = self.write.posting.status.is_open();
        if let Some(id) = self.original.filter(|_| !is_open) {
            writes.tasks.ask(look_up_duplicates(id));
        }
        if let Some(write) = self.company {
            let company = write.company.clone();
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

    /// Adds the events to a commit, with the posting and its company as this change leaves them.
    fn record_events(&mut self, writes: &mut WriteSet) {
        let (at, trace) = (writes.tasks.at, writes.tasks.trace);
        for name in std::mem::take(&mut self.events) {
            let company = self.company.as_ref();
            let company = company.filter(|_| name == event::COMPANY_UPDATED);
            let subject = company.map_or_else(
                || Subject::Posting(self.state(&name)),
                |write| Subject::Company(write.state()),
            );
            writes.tasks.events.push(Event {
                name,
                subject,
                at,
                trace,
            });
        }
    }

    /// The posting as an event shows it: only an event that tells of a decision names its reason.
    fn state(&self, name: &EventName) -> PostingState {
        let decision = self.write.decision.as_ref();
        let decided = [
            event::JOB_POSTING_APPROVED,
            event::JOB_POSTING_REJECTED,
            event::JOB_POSTING_EXPIRED,
        ];
        let decision = decision.filter(|_| decided.contains(name));
        PostingState {
            decision: decision.map(|decision| decision.code.clone()),
            ..PostingState::from(&self.write.posting)
        }
    }
}
