//! The events and tasks of postings and companies.

use kernel::{
    CompanyId, PostingId,
    attention::{ATTENTION_CLEARED, ATTENTION_RAISED},
    event::{EventName, PostingState},
    outbox::{Effect, Kind, Queue},
};

use super::Posting;

/// The queue of enrichments.
pub const ENRICH: Queue = Queue::of(Kind::new("enrich", "judge a posting"));

/// The enrichment of a posting.
pub const fn enrich(id: PostingId) -> Effect {
    Effect::new(ENRICH, id.uuid())
}

/// The queue of postings whose duplicates are looked up again.
pub const DUPLICATES: Queue = Queue::of(Kind::new("duplicates", "look for copies"));

/// The search for a posting's original, and for its duplicates.
pub const fn look_up_duplicates(id: PostingId) -> Effect {
    Effect::new(DUPLICATES, id.uuid())
}

/// The queue of companies whose postings and similar companies are checked.
pub const COMPANIES: Queue = Queue::of(Kind::new("companies", "settle a company"));

/// The move of a merged company's postings, and the search for similar companies.
pub const fn settle_company(id: CompanyId) -> Effect {
    Effect::new(COMPANIES, id.uuid())
}

/// A posting was pushed for the first time.
pub const JOB_POSTING_CREATED: EventName = EventName::new("JobPostingCreated");
/// An integration or an operator changed the posting.
pub const JOB_POSTING_UPDATED: EventName = EventName::new("JobPostingUpdated");
/// A posting became visible.
pub const JOB_POSTING_APPROVED: EventName = EventName::new("JobPostingApproved");
/// A posting was refused.
pub const JOB_POSTING_REJECTED: EventName = EventName::new("JobPostingRejected");
/// A posting was taken down.
pub const JOB_POSTING_EXPIRED: EventName = EventName::new("JobPostingExpired");
/// A posting that had expired was reopened.
pub const JOB_POSTING_REOPENED: EventName = EventName::new("JobPostingReopened");
/// Enrichment changed a posting's texts, place, reason or original, but not its status.
pub const JOB_POSTING_ENRICHED: EventName = EventName::new("JobPostingEnriched");
/// A posting was permanently deleted. Readers see only its identifier.
pub const JOB_POSTING_ERASED: EventName = EventName::new("JobPostingErased");
/// The name or logo of a company changed.
pub const COMPANY_UPDATED: EventName = EventName::new("CompanyUpdated");

/// A company was merged into another, whose id replaces its own.
pub const COMPANY_MERGED: EventName = EventName::new("CompanyMerged");
/// An operator decided about a reader's report. Only clients that may send reports see it.
pub const REPORT_DECIDED: EventName = EventName::new("ReportDecided");

/// The events visible to outside readers.
pub const PUBLIC: [EventName; 13] = [
    JOB_POSTING_CREATED,
    JOB_POSTING_UPDATED,
    JOB_POSTING_APPROVED,
    JOB_POSTING_REJECTED,
    JOB_POSTING_EXPIRED,
    JOB_POSTING_REOPENED,
    JOB_POSTING_ENRICHED,
    JOB_POSTING_ERASED,
    COMPANY_UPDATED,
    COMPANY_MERGED,
    ATTENTION_RAISED,
    ATTENTION_CLEARED,
    REPORT_DECIDED,
];

impl From<&Posting> for PostingState {
    fn from(posting: &Posting) -> Self {
        Self {
            id: posting.id,
            source_identifier: posting.source_identifier.clone(),
            version: posting.version,
            status: posting.status(),
            status_reason: posting.status_reason().map(str::to_owned),
            decision: None,
        }
    }
}
