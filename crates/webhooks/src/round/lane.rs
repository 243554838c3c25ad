//! Lanes: waiting company events of one originator (the client or operator that made the change).
//!
//! A client may change thousands of companies at once, and every endpoint gets these events. A
//! round attempts few of them. The others wait in the client's lane. A lane is a single waiting
//! subject, which stores how far its events in the log are done. The endpoint's cursor passes
//! events in lanes, so postings and other clients' companies do not wait.
//!
//! A company may have several originators, so its events outside a lane may overtake its events in
//! the lane. A lane therefore drops each event that is not the newest of its company.

use std::collections::HashMap;

use domain::posting::event::COMPANY_UPDATED;
use kernel::{
    Actor,
    event::{Cursor, Event, Subject},
};
use time::OffsetDateTime;
use uuid::{Builder, Uuid, Version};

use crate::{WaitingEvent, WaitingSubject};

/// The largest numbers of company events per round: of one originator, and of all.
pub(super) const OF_ORIGINATOR: usize = 16;
pub(super) const OF_ALL: usize = 32;

/// The waiting company events of an originator.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) from: Cursor,
    pub(super) next: Cursor,
    /// Whether the round has read everything up to the endpoint's cursor.
    pub(super) is_read: bool,
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
    /// For each lane, the number of events and the place of the last event.
    pub(super) by_lane: HashMap<Uuid, (usize, Cursor)>,
}

/// The lane of a `CompanyUpdated`. The lane's id is the originator's id as a version 8 UUID, which
/// no subject has. Operators and unknown originators share a lane. `CompanyMerged` has no lane,
/// because it is rare and no later event replaces it.
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
