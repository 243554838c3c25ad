//! What happened, and to whom.

use std::fmt;

use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    company::CompanyId,
    posting::{PostingId, SourceIdentifier},
    subscriber::SubscriberId,
};

/// What happened, by its name in the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventName {
    /// A posting was pushed for the first time.
    JobPostingCreated,
    /// What integrations or operators set of a posting changed.
    JobPostingUpdated,
    /// A posting became visible.
    JobPostingApproved,
    /// A posting was refused.
    JobPostingRejected,
    /// A posting was taken down.
    JobPostingExpired,
    /// A posting that was taken down came back.
    JobPostingReopened,
    /// The name or the logo of a company changed.
    CompanyUpdated,
    /// A membership changed that is a person's own, or was before.
    IndividualMembershipUpdated,
}

impl EventName {
    /// Every name.
    pub const ALL: [Self; 8] = [
        Self::JobPostingCreated,
        Self::JobPostingUpdated,
        Self::JobPostingApproved,
        Self::JobPostingRejected,
        Self::JobPostingExpired,
        Self::JobPostingReopened,
        Self::CompanyUpdated,
        Self::IndividualMembershipUpdated,
    ];

    /// The event's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JobPostingCreated => "JobPostingCreated",
            Self::JobPostingUpdated => "JobPostingUpdated",
            Self::JobPostingApproved => "JobPostingApproved",
            Self::JobPostingRejected => "JobPostingRejected",
            Self::JobPostingExpired => "JobPostingExpired",
            Self::JobPostingReopened => "JobPostingReopened",
            Self::CompanyUpdated => "CompanyUpdated",
            Self::IndividualMembershipUpdated => "IndividualMembershipUpdated",
        }
    }

    /// The event with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }

    /// What its subjects are.
    pub const fn subject_kind(self) -> SubjectKind {
        match self {
            Self::JobPostingCreated
            | Self::JobPostingUpdated
            | Self::JobPostingApproved
            | Self::JobPostingRejected
            | Self::JobPostingExpired
            | Self::JobPostingReopened => SubjectKind::Posting,
            Self::CompanyUpdated => SubjectKind::Company,
            Self::IndividualMembershipUpdated => SubjectKind::Subscriber,
        }
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What an event can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectKind {
    /// A posting.
    Posting,
    /// A company.
    Company,
    /// A subscriber.
    Subscriber,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub name: EventName,
    /// To whom.
    pub subject: Subject,
    /// When.
    pub at: OffsetDateTime,
}

/// Whom an event is about. The events of one subject are delivered in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A posting.
    Posting {
        /// The posting.
        id: PostingId,
        /// The posting's id in the world it comes from.
        source_identifier: SourceIdentifier,
    },
    /// A company.
    Company(CompanyId),
    /// A subscriber.
    Subscriber(SubscriberId),
}

impl Subject {
    /// The subject's id.
    pub const fn uuid(&self) -> Uuid {
        match self {
            Self::Posting { id, .. } => id.uuid(),
            Self::Company(id) => id.uuid(),
            Self::Subscriber(id) => id.uuid(),
        }
    }

    /// The id of a posting in the world it comes from; `None` of others.
    pub const fn source_identifier(&self) -> Option<&SourceIdentifier> {
        match self {
            Self::Posting {
                source_identifier, ..
            } => Some(source_identifier),
            Self::Company(_) | Self::Subscriber(_) => None,
        }
    }
}
