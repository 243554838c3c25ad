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
        ContentHash, Coordinates, Decision, EnrichedTexts, HistoryEntry, Lifetime, Posting, enrich,
        event, look_up_duplicates, review,
    },
};

/// A decided change of one posting.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The version it was decided on; `None` for a new posting.
    pub expected: Option<Version>,
    /// The posting as it is afterwards.
    pub posting: Posting,
    /// Whether the posting itself is written. It is not when only its company changes.
    pub writes_posting: bool,
    /// Whether its description changes.
    pub sets_description: bool,
    /// The company's write, if it changes.
    pub company: Option<CompanyWrite>,
    /// The enricher's result.
    pub enriched: Option<(EnrichedTexts, Option<Coordinates>)>,
    /// The decision whether the posting may be shown, if there is a new one.
    pub decision: Option<Decision>,
    /// New entries of the history.
    pub history: Vec<HistoryEntry>,
    /// The events it raises, in order: of the posting, and of its company.
    pub events: Vec<EventName>,
    /// Whether it asks for enrichment.
    pub asks_for_enrichment: bool,
    /// The posting's id, if others may be marked as its duplicates, which have to be looked up again
    /// when it closes.
    original: Option<PostingId>,
}

impl Change {
    /// A change of an existing posting, which changes nothing yet.
    pub(super) fn of(posting: &Posting) -> Self {
        Self::new(Some(posting.version), posting.clone())
    }

    /// A change that makes a posting.
    pub(super) fn creating(posting: Posting) -> Self {
        Self::new(None, posting)
    }

    fn new(expected: Option<Version>, posting: Posting) -> Self {
        Self {
            expected,
            original: (posting.status.is_open() && posting.has_texts()).then_some(posting.id),
            posting,
            writes_posting: true,
            sets_description: expected.is_none(),
            company: None,
            enriched: None,
            decision: None,
            history: Vec::new(),
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
        self.posting.status = status;
        if !status.is_open() {
            self.posting.duplicate_of = None;
        }
        self.posting.status_reason.clone_from(&reason);
        self.history.push(HistoryEntry {
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
        self.posting.moderated = matches!(by, Actor::Operator(_));
        if self.posting.status != Status::Expired {
            self.posting.expired_at = Some(now);
            self.posting.details.expiration_reason.clone_from(&reason);
            self.raise(event::JOB_POSTING_EXPIRED);
        }
        self.move_to(Status::Expired, reason, by, now);
    }

    /// Brings an expired posting back, to be judged anew: a verdict from before the expiry does not
    /// count. The push may have set another reason for an expiry, so that is not cleared here.
    pub(super) fn reopen(&mut self, reason: Option<String>, by: Actor, now: OffsetDateTime) {
        self.posting.expired_at = None;
        self.posting.enriched_hash = None;
        self.posting.approved_hash = None;
        self.posting.moderated = false;
        self.move_to(Status::PendingEnrichment, reason, by, now);
        self.raise(event::JOB_POSTING_REOPENED);
    }

    /// Approves a posting, which publishes it and starts its lifetime. One that is approved needs no
    /// review any more.
    pub(super) fn approve(&mut self, by: Actor, lifetime: Lifetime, now: OffsetDateTime) {
        if self.posting.status != Status::Approved {
            self.posting.published_at.get_or_insert(now);
            self.posting.expire_at = lifetime.starting(now);
            self.raise(event::JOB_POSTING_APPROVED);
        } else if !review::awaits_review(&self.posting) {
            return;
        }
        self.move_to(Status::Approved, None, by, now);
    }

    /// Rejects a posting. One that is rejected for another reason gets this one.
    pub(super) fn reject(&mut self, reason: String, by: Actor, now: OffsetDateTime) {
        let reason = Some(reason);
        if self.posting.status != Status::Rejected {
            self.raise(event::JOB_POSTING_REJECTED);
        } else if self.posting.status_reason == reason {
            return;
        }
        self.move_to(Status::Rejected, reason, by, now);
    }

    /// Sets actor and time of the last change. The time never goes back, though clocks of several
    /// machines may disagree.
    pub(super) fn touch(&mut self, by: Actor, now: OffsetDateTime) {
        self.posting.updated_by = Some(by);
        self.posting.updated_at = self.posting.updated_at.max(now);
    }

    pub(super) fn raise(&mut self, event: EventName) {
        self.events.push(event);
    }

    /// Schedules an enrichment if the content is not that of the last outcome.
    pub(super) fn schedule_enrichment_if_stale(&mut self, company: &Company) {
        self.asks_for_enrichment = self.posting.status != Status::Expired
            && self.posting.enriched_hash != Some(ContentHash::of(&self.posting.details, company));
    }

    /// Schedules an enrichment if the content differs from that of the last outcome by the company's
    /// name alone, which a push of another posting has changed.
    pub(super) fn schedule_enrichment_if_renamed(&mut self, company: &Company) {
        self.asks_for_enrichment = self.posting.status != Status::Expired
            && self.posting.enriched_hash.is_some_and(|last| {
                last.differs_by_name_alone(&ContentHash::of(&self.posting.details, company))
            });
    }

    /// Whether the same command, sent again after the commit, changes nothing. One that schedules an
    /// enrichment does so again until the texts are there.
    pub fn is_repeatable(&self) -> bool {
        !self.asks_for_enrichment || self.expected.is_none()
    }

    /// Adds the change to a commit, and to the state that the batch's next decision is based on.
    pub fn record(mut self, snapshot: &mut Snapshot, writes: &mut WriteSet) {
        let id = self.posting.id;
        let earlier = if self.writes_posting {
            writes.postings.remove(&id)
        } else {
            None
        };
        let expected = earlier
            .as_ref()
            .map_or(self.expected, |earlier| earlier.expected);
        if self.writes_posting {
            // However many commands change it, a commit moves a posting on by one version.
            self.posting.version = expected.map_or(1, |version| version + 1);
        }
        self.record_events(writes);
        if self.asks_for_enrichment {
            writes.tasks.ask(enrich(id));
        }
        if let Some(id) = self.original.filter(|_| !self.posting.status.is_open()) {
            writes.tasks.ask(look_up_duplicates(id));
        }
        if let Some(write) = self.company {
            snapshot
                .companies
                .insert(write.company.id, write.company.clone());
            match writes.companies.get_mut(&write.company.id) {
                Some(earlier) => earlier.then(write),
                None => {
                    writes.companies.insert(write.company.id, write);
                }
            }
        }
        if !self.writes_posting {
            return;
        }
        snapshot
            .postings
            .insert(self.posting.source_identifier.clone(), self.posting.clone());
        let (mut history, enriched, decision, sets_description) = earlier
            .map(|earlier| {
                let PostingWrite {
                    history,
                    enriched,
                    decision,
                    sets_description,
                    ..
                } = earlier;
                (history, enriched, decision, sets_description)
            })
            .unwrap_or_default();
        history.append(&mut self.history);
        writes.postings.insert(
            id,
            PostingWrite {
                expected,
                posting: self.posting,
                sets_description: sets_description || self.sets_description,
                enriched: self.enriched.or(enriched),
                decision: self.decision.or(decision),
                history,
            },
        );
    }

    /// Adds the events to a commit, with the posting and its company as this change leaves them.
    fn record_events(&mut self, writes: &mut WriteSet) {
        let (at, trace) = (writes.tasks.at, writes.tasks.trace);
        for name in std::mem::take(&mut self.events) {
            let of_company = self
                .company
                .as_ref()
                .filter(|_| name == event::COMPANY_UPDATED);
            let subject = match of_company {
                Some(write) => Subject::Company(write.state()),
                None => Subject::Posting(PostingState {
                    decision: self
                        .decision
                        .as_ref()
                        .filter(|_| event::DECISIONS.contains(&name))
                        .map(|decision| decision.code.clone()),
                    ..PostingState::from(&self.posting)
                }),
            };
            writes.tasks.events.push(Event {
                name,
                subject,
                at,
                trace,
            });
        }
    }
}
