//! The events and tasks of postings.

use super::{PostingId, SourceIdentifier};
use crate::outbox::{Effect, EventName, Kind, Queue, Subject};

/// The queue of enrichments.
pub const ENRICH: Queue = Queue::of(Kind::new("enrich"));

/// The enrichment of a posting.
pub const fn enrich(id: PostingId) -> Effect {
    Effect::new(ENRICH, id.uuid())
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
/// The name or the logo of a company changed.
pub const COMPANY_UPDATED: EventName = EventName::new("CompanyUpdated");

impl SourceIdentifier {
    /// The event subject of the posting with this identifier.
    pub fn subject(&self, id: PostingId) -> Subject {
        Subject {
            id: id.uuid(),
            source_identifier: Some(self.0.clone()),
        }
    }
}
