//! The event log: each event is written in the commit that causes it and never changed.
//!
//! A commit brings its [events](Event) along ([`TaskWrites::events`](crate::outbox::TaskWrites)),
//! and a store writes them down in the order of the commits. A reader follows the log by the
//! [`Cursor`] of the last event that it has seen, and so sees each event exactly once: a commit
//! that is still under way while later ones are read is not passed by. Every reader keeps its own
//! cursor: a client, or an endpoint of webhooks.
//!
//! The contexts that raise events declare their names. Stores and readers treat them alike.

mod cursor;
mod log;

use time::OffsetDateTime;
use uuid::Uuid;

pub use self::{
    cursor::{Cursor, InvalidCursor},
    log::{EventFeed, EventLog, LogError, LogPage, LogQuery, RecordedEvent},
};
use crate::{
    Actor, AttentionItem, ClientId, CompanyId, Decided, PostingId, Prefixes, ReportId,
    SourceIdentifier, Status, Version, name::name, trace::TraceParent,
};
use fields::Website;

name! {
    /// An event's name in the contract, declared by the context that raises it.
    EventName
}

/// A change of a subject, for readers of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The name.
    pub name: EventName,
    /// The subject, as the event left it.
    pub subject: Subject,
    /// The time.
    pub at: OffsetDateTime,
    /// The trace of its cause, if that is traced. Readers outside do not see it.
    pub trace: Option<TraceParent>,
}

impl Event {
    /// Whether a reader with these prefixes may read it: a client, or the operator's. Events of
    /// companies are for every client, those of other contexts for none.
    pub fn is_for(&self, reader: Option<ClientId>, prefixes: &Prefixes) -> bool {
        match &self.subject {
            Subject::Posting(posting) => prefixes.permit(&posting.source_identifier),
            Subject::Report(report) => prefixes.permit(&report.source_identifier),
            Subject::Company(_) => true,
            Subject::Attention(item) => item.is_for(reader, prefixes),
            Subject::Other(_) => false,
        }
    }
}

/// The subject of an event. The log has the events of one subject in the order of its commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A posting.
    Posting(PostingState),
    /// A company. A store records it as it stands after the commit, because several writers may
    /// set different fields of a company at the same time.
    Company(CompanyState),
    /// A matter that needs attention, or did.
    Attention(Box<AttentionItem>),
    /// A report of a reader that was decided.
    Report(ReportState),
    /// A subject of another context, by its id. The event says nothing else about it.
    Other(Uuid),
}

impl Subject {
    /// The id in this service.
    pub const fn id(&self) -> Uuid {
        match self {
            Self::Posting(posting) => posting.id.uuid(),
            Self::Company(company) => company.id.uuid(),
            Self::Attention(item) => item.id,
            Self::Report(report) => report.id.uuid(),
            Self::Other(id) => *id,
        }
    }
}

/// The state of a posting, as the commit of an event left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostingState {
    /// The id in this service.
    pub id: PostingId,
    /// The integration's identifier.
    pub source_identifier: SourceIdentifier,
    /// The version that the commit wrote. The events of one commit share it.
    pub version: Version,
    /// The status.
    pub status: Status,
    /// The reason of the status.
    pub status_reason: Option<String>,
    /// The decision that the event is about, if it is about one.
    pub decision: Option<Decided>,
}

impl PostingState {
    /// Whether it has data that an erasure of the posting removes from its older events.
    pub const fn says_why(&self) -> bool {
        self.status_reason.is_some() || self.decision.is_some()
    }

    /// Removes the data that an erasure removes from a posting's older events: reason and decision.
    pub fn erase(&mut self) {
        self.status_reason = None;
        self.decision = None;
    }
}

/// The state of a company, as the commit of an event left it at the time of the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanyState {
    /// The id.
    pub id: CompanyId,
    /// The name.
    pub name: String,
    /// The website.
    pub website: Website,
    /// Path to its logo.
    pub logo_path: Option<String>,
    /// The company that it was merged into.
    pub merged_into: Option<CompanyId>,
    /// The actor of the change; `None` of an event from before this was recorded.
    pub updated_by: Option<Actor>,
}

/// A report as its decision left it. It says nothing of the reporter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportState {
    /// The report's id.
    pub id: ReportId,
    /// The reported posting.
    pub posting: PostingId,
    /// Its identifier.
    pub source_identifier: SourceIdentifier,
    /// Whether an operator acted on the report; otherwise it was dismissed.
    pub acted: bool,
    /// The operator's answer to the reporter.
    pub sentence: String,
}
