//! The event log: each event is written in the commit that causes it. Only erasures change events.
//!
//! A commit has its [events](Event) ([`TaskWrites::events`](crate::outbox::TaskWrites)), and a
//! store writes them in commit order. A reader (a client or a webhook endpoint) keeps the
//! [`Cursor`] of the last event that it has seen. It sees each event exactly once, because it never
//! passes a commit that is still in progress.
//!
//! Contexts declare the names of their events. Stores and readers treat all events in the same way.

mod cursor;
mod log;

use time::OffsetDateTime;
use uuid::Uuid;

pub use self::{
    cursor::{Cursor, InvalidCursor},
    log::{EventFeed, EventLog, LogError, LogPage, LogQuery, RecordedEvent},
};
use crate::{
    Actor, AttentionItem, ClientId, CompanyId, EventDecision, PostingId, Prefixes, ReportId,
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
    /// The subject, in its state after the event.
    pub subject: Subject,
    /// The time.
    pub at: OffsetDateTime,
    /// The trace of its cause, if any. Hidden from outside readers.
    pub trace: Option<TraceParent>,
}

impl Event {
    /// Whether `reader` may see the event: a client with these prefixes, or the operators if
    /// `None`. Always true for a company, and always false for [`Subject::Other`].
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

/// The subject of an event. The events of one subject are in commit order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A posting.
    Posting(PostingState),
    /// A company. Stores record its state after the commit, because several writers may set
    /// different fields at once.
    Company(CompanyState),
    /// A matter that needs or needed attention.
    Attention(Box<AttentionItem>),
    /// A decided report of a reader.
    Report(ReportState),
    /// Another context's subject, by id, without further data.
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

/// A posting's state after the commit of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostingState {
    /// The id in this service.
    pub id: PostingId,
    /// The integration's identifier.
    pub source_identifier: SourceIdentifier,
    /// The version that the commit wrote. All its events have this version.
    pub version: Version,
    /// The status.
    pub status: Status,
    /// The reason of the status.
    pub status_reason: Option<String>,
    /// The decision that the event concerns, if any.
    pub decision: Option<EventDecision>,
}

impl PostingState {
    /// Whether it has a reason or a decision, which an erasure removes from older events.
    pub const fn says_why(&self) -> bool {
        self.status_reason.is_some() || self.decision.is_some()
    }

    /// Removes the data that an erasure removes from older events: reason and decision.
    pub fn erase(&mut self) {
        self.status_reason = None;
        self.decision = None;
    }
}

/// A company's state at the event.
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
    /// The actor of the change; `None` in old events, which did not record it.
    pub updated_by: Option<Actor>,
}

/// A decided report, without the reporter.
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
