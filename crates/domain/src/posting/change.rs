//! Decided changes: a posting's new state with its events and tasks.

use kernel::{Actor, PostingId, Status};
use kernel::{
    Version,
    event::{Event, EventName, PostingState, Subject},
};
use time::OffsetDateTime;

use super::{ContentHash, HistoryEntry, Posting, enrich, event, look_up_duplicates};
use crate::{
    company::{Company, CompanyWrite},
    posting::{Coordinates, EnrichedTexts},
    store::{Known, PostingWrite, WriteSet},
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
    /// New entries of the history.
    pub history: Vec<HistoryEntry>,
    /// The events it raises, in order: of the posting, and of its company.
    pub events: Vec<EventName>,
    /// Whether it asks for enrichment.
    pub asks_for_enrichment: bool,
    /// The posting, if others may be marked as duplicates of it as it was.
    original: Option<PostingId>,
}

impl Change {
    /// A change of nothing yet of a posting that exists.
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
            history: Vec::new(),
            events: Vec::new(),
            asks_for_enrichment: false,
        }
    }

    /// Gives the posting a status, and its history the step.
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

    /// Expires an open posting. An operator's expiry stands until an operator reopens it.
    pub(super) fn expire(&mut self, reason: Option<String>, by: Actor, now: OffsetDateTime) {
        self.posting.expired_at = Some(now);
        self.posting.moderated = matches!(by, Actor::Operator(_));
        self.posting.details.expiration_reason.clone_from(&reason);
        self.move_to(Status::Expired, reason, by, now);
        self.raise(event::JOB_POSTING_EXPIRED);
    }

    /// Brings an expired posting back, to be judged anew: a verdict from before the expiry does not
    /// count.
    pub(super) fn reopen(&mut self, reason: Option<String>, by: Actor, now: OffsetDateTime) {
        self.posting.expired_at = None;
        self.posting.enriched_hash = None;
        self.posting.approved_hash = None;
        self.posting.moderated = false;
        self.move_to(Status::PendingEnrichment, reason, by, now);
        self.raise(event::JOB_POSTING_REOPENED);
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

    /// Asks for enrichment if the content differs from that of the last outcome.
    pub(super) fn ask_if_due(&mut self, company: &Company) {
        self.asks_for_enrichment = self.posting.status != Status::Expired
            && self.posting.enriched_hash != Some(ContentHash::of(&self.posting.details, company));
    }

    /// Asks for enrichment if the content differs from that of the last outcome only by the
    /// company's name, which another posting's push has changed.
    pub(super) fn ask_if_renamed(&mut self, company: &Company) {
        self.asks_for_enrichment = self.posting.status != Status::Expired
            && self.posting.enriched_hash.is_some_and(|last| {
                last.differs_by_name_alone(&ContentHash::of(&self.posting.details, company))
            });
    }

    /// Whether the same command changes nothing afterwards. One that asks for other texts does so
    /// until they are there.
    pub fn is_repeatable(&self) -> bool {
        !self.asks_for_enrichment || self.expected.is_none()
    }

    /// Adds the change to a commit, and to the state that the batch's next decision is based on.
    pub fn record(mut self, known: &mut Known, writes: &mut WriteSet) {
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
            known
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
        known
            .postings
            .insert(self.posting.source_identifier.clone(), self.posting.clone());
        let (mut history, enriched, sets_description) = earlier
            .map(|earlier| (earlier.history, earlier.enriched, earlier.sets_description))
            .unwrap_or_default();
        history.append(&mut self.history);
        writes.postings.insert(
            id,
            PostingWrite {
                expected,
                posting: self.posting,
                sets_description: sets_description || self.sets_description,
                enriched: self.enriched.or(enriched),
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
                None => Subject::Posting(PostingState::from(&self.posting)),
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
