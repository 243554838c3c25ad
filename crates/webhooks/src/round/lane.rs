//! Lanes: the events of companies by one originator that wait as one.
//!
//! One client may change thousands of companies at a time, and every endpoint gets these events. A
//! round attempts few of them. The others wait in the client's lane, which is a single record of a
//! waiting subject: the place in the log up to which its events are done. The endpoint's cursor
//! passes them, so neither postings nor other clients' companies wait for them.
//!
//! A company may have several originators, and an event that is not in the lane passes those that
//! are. So a lane drops each event that is not the newest one of its company.

use std::collections::HashMap;

use domain::posting::event::COMPANY_UPDATED;
use kernel::{
    Actor,
    event::{Cursor, Event, Subject},
};
use time::OffsetDateTime;
use uuid::{Builder, Uuid, Version};

use crate::{WaitingEvent, WaitingSubject};

/// The most events of companies that a round attempts: of one originator, and of all.
pub(super) const OF_ORIGINATOR: usize = 16;
pub(super) const OF_ALL: usize = 32;

/// The events of an originator that wait as one.
#[derive(Debug)]
pub(super) struct Lane {
    /// The place behind which its events wait.
    pub(super) from: Cursor,
    /// The place up to which the round has read them.
    pub(super) next: Cursor,
    /// Whether the round has read all that the endpoint's cursor had passed.
    pub(super) is_read: bool,
    /// Whether the page has further ones.
    pub(super) grows: bool,
}

impl Lane {
    pub(super) const fn after(from: Cursor) -> Self {
        Self {
            from,
            next: from,
            is_read: false,
            grows: false,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct OfCompanies {
    pub(super) all: usize,
    /// By lane, with the place of the last one of the page.
    pub(super) by_lane: HashMap<Uuid, (usize, Cursor)>,
}

/// The id of the lane that a `CompanyUpdated` belongs to: the originator's, as a UUID of version 8,
/// which no subject has. Operators and unknown originators share one. A `CompanyMerged` belongs to
/// none: it is rare, and no later event has what it says.
pub(super) fn lane_of(event: &Event) -> Option<Uuid> {
    let Subject::Company(company) = &event.subject else {
        return None;
    };
    if event.name != COMPANY_UPDATED {
        return None;
    }
    let originator = match company.updated_by {
        Some(Actor::Client(id)) => id.uuid(),
        _ => Uuid::nil(),
    };
    let id = Builder::from_bytes(originator.into_bytes()).with_version(Version::Custom);
    Some(id.into_uuid())
}

pub(super) fn is_lane(subject: Uuid) -> bool {
    subject.get_version() == Some(Version::Custom)
}

pub(super) fn waiting(id: Uuid, at: Cursor, now: OffsetDateTime) -> WaitingSubject {
    WaitingSubject {
        subject: id,
        next: WaitingEvent {
            cursor: at,
            name: COMPANY_UPDATED,
        },
        attempts: 0,
        next_at: now,
        last_error: None,
        is_silent: false,
        later: Vec::new(),
        read_to: Some(at),
    }
}
