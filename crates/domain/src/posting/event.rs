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

/// The search for what a posting duplicates, and for what duplicates it.
pub const fn look_up_duplicates(id: PostingId) -> Effect {
    Effect::new(DUPLICATES, id.uuid())
}

/// The queue of companies whose postings and doubles are looked at.
pub const COMPANIES: Queue = Queue::of(Kind::new("companies", "settle a company"));

/// The move of a merged company's postings, and the search for companies that it may be one with.
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
/// A posting that was taken down came back.
pub const JOB_POSTING_REOPENED: EventName = EventName::new("JobPostingReopened");
/// Enrichment made other texts or another place of a posting, gave another reason or found another
/// posting that it duplicates, and its status stayed.
pub const JOB_POSTING_ENRICHED: EventName = EventName::new("JobPostingEnriched");
/// Everything that a posting said was deleted, for good. Readers see its identifier alone.
pub const JOB_POSTING_ERASED: EventName = EventName::new("JobPostingErased");
/// The name or the logo of a company changed.
pub const COMPANY_UPDATED: EventName = EventName::new("CompanyUpdated");

/// A company was merged into another one, whose id takes the place of its own.
pub const COMPANY_MERGED: EventName = EventName::new("CompanyMerged");
/// An operator decided about a report of a reader. Only clients that may send reports see it.
pub const REPORT_DECIDED: EventName = EventName::new("ReportDecided");

/// The events that readers outside may see.
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
