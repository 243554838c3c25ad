//! The port to endpoints and their waiting work.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use async_trait::async_trait;
use kernel::{
    StoreError, Version,
    audit::Entry,
    event::{Cursor, EventName},
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Endpoint, EndpointId, EndpointState, EndpointWrite, Health, Owner, WaitingSubject};

/// The newest deliveries kept per endpoint.
pub const DELIVERIES_KEPT: usize = 100;

/// How long an endpoint rests after a round with nothing left to do: a steady stream of events,
/// wanted or not, makes about one round a second.
pub const REST: Duration = Duration::from_secs(1);

/// The rest of an endpoint that takes no fresh events for now.
pub const FULL_REST: Duration = Duration::from_secs(5);

/// The longest credible rest: clocks of processes differ by some seconds.
pub const LONGEST_REST: Duration = Duration::from_secs(10);

/// The largest count of waiting events.
pub const MOST_WAITING_COUNTED: usize = 1_000;

/// An endpoint and its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedEndpoint {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The place up to which every event was delivered, waits, or is unwanted.
    pub cursor: Cursor,
    /// Its circuit breaker.
    pub health: Health,
}

impl TrackedEndpoint {
    /// Whether it is disabled, or has failed for an hour.
    pub fn needs_attention(&self, now: OffsetDateTime) -> bool {
        let is_failing = |since: OffsetDateTime| now - since >= time::Duration::HOUR;
        match self.endpoint.state {
            EndpointState::Disabled => true,
            EndpointState::Active => self.health.failing_since.is_some_and(is_failing),
            EndpointState::Paused => false,
        }
    }
}

/// An attempt at an event, as shown to the owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// When it ended, or when the event became a dead letter without one.
    pub at: OffsetDateTime,
    /// The event.
    pub event: Cursor,
    /// Its name.
    pub name: EventName,
    /// The attempt's number for this event, from 1.
    pub attempt: u32,
    /// The status of the answer.
    pub status: Option<u16>,
    /// The time until the answer, in whole milliseconds.
    pub duration: Duration,
    /// Why it failed.
    pub error: Option<String>,
}

/// The result of a round of deliveries to one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The endpoint's version when the round began.
    pub version: Version,
    /// The cursor when the round began.
    pub from: Cursor,
    /// The new cursor.
    pub to: Cursor,
    /// New and changed waiting subjects, by the place of their next event.
    pub waiting: Vec<WaitingSubject>,
    /// Subjects that no longer wait. None is in `waiting`.
    pub settled: Vec<Uuid>,
    /// The dead letters: events whose last attempt failed.
    pub dead_letters: usize,
    /// The attempts, oldest first.
    pub deliveries: Vec<DeliveryRecord>,
    /// The new health.
    pub health: Health,
    /// Why the endpoint is disabled, if it is.
    pub disabled: Option<String>,
    /// Whether the endpoint answers again: unanswered waiting events are due now.
    pub wakes_silent: bool,
    /// When the round ended.
    pub at: OffsetDateTime,
    /// The next lease is possible from then on: [at most](REST) a second later.
    pub again_at: OffsetDateTime,
}

impl Round {
    /// A round without attempts or events, which ends the lease.
    pub const fn idle(tracked: &TrackedEndpoint, now: OffsetDateTime) -> Self {
        Self {
            endpoint: tracked.endpoint.id,
            version: tracked.endpoint.version,
            from: tracked.cursor,
            to: tracked.cursor,
            waiting: Vec::new(),
            settled: Vec::new(),
            dead_letters: 0,
            deliveries: Vec::new(),
            health: tracked.health,
            disabled: None,
            wakes_silent: false,
            at: now,
            again_at: now,
        }
    }

    /// Whether it only ends the lease and skips unwanted events, as a [`Release`] does.
    pub fn is_idle(&self) -> bool {
        self.deliveries.is_empty()
            && self.settled.is_empty()
            && self.waiting.is_empty()
            && self.disabled.is_none()
    }
}

/// The result of recording a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// Written; the lease has ended.
    Done,
    /// Nothing written: the lease was lost, or the cursor was moved back meanwhile.
    Lost,
    /// Nothing written, and the lease continues: the endpoint's version changed.
    Changed,
}

/// A lease of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The holder's id, random for each query, so that a late end of one lease never ends the next.
    pub holder: Uuid,
}

/// The end of a lease without a result, except for skipped events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The lease.
    pub lease: Lease,
    /// The endpoint's version at the lease.
    pub version: Version,
    /// The cursor at the lease.
    pub from: Cursor,
    /// The new cursor, if version and cursor are unchanged.
    pub to: Cursor,
    /// The next lease is possible from then on: [at most](REST) a second later.
    pub again_at: OffsetDateTime,
}

/// A query for endpoints to work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseQuery {
    /// The holder's id, random for each query.
    pub holder: Uuid,
    /// The end of the leases.
    pub until: OffsetDateTime,
    /// The time.
    pub now: OffsetDateTime,
    /// The end of the event log.
    pub end: Cursor,
    /// The largest number of endpoints.
    pub limit: usize,
}

/// An endpoint's backlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointBacklog {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// Waiting events, at most [`MOST_WAITING_COUNTED`].
    pub waiting: usize,
    /// The time of the first event after its cursor, wanted or not.
    pub behind_since: Option<OffsetDateTime>,
}

/// The port to endpoints. An operator's call brings an audit entry, written in the same commit if
/// the call has an effect.
///
/// A worker [leases](Self::lease) endpoints with something to do, makes a round for each, and
/// [records](Self::record) it, which ends the lease; a round without attempts is
/// [released](Self::release). A round unrecorded after a crash or a lost lease is repeated.
#[async_trait]
pub trait Webhooks: Send + Sync {
    /// Adds an endpoint that gets the events after a cursor.
    ///
    /// [`StoreError::Conflict`] above the owner's limit [`MOST_ENDPOINTS`](super::MOST_ENDPOINTS),
    /// also for concurrent callers.
    async fn insert(
        &self,
        endpoint: &Endpoint,
        start: Cursor,
        entry: Option<&Entry>,
    ) -> Result<(), StoreError>;

    /// Finds an endpoint.
    async fn find(&self, id: EndpointId) -> Result<Option<TrackedEndpoint>, StoreError>;

    /// Up to `limit` endpoints of an owner, or of all, after the given id, ascending.
    async fn list(
        &self,
        owner: Option<Owner>,
        after: Option<EndpointId>,
        limit: usize,
    ) -> Result<Vec<TrackedEndpoint>, StoreError>;

    /// Writes a change of an endpoint, which keeps its cursor, lease and deliveries. If it [starts
    /// over](EndpointWrite::starts_over), its health is reset, and no attempt is due later than the
    /// change.
    ///
    /// [`StoreError::Conflict`] on another version or after a deletion.
    async fn update(&self, write: &EndpointWrite, entry: Option<&Entry>) -> Result<(), StoreError>;

    /// Deletes an endpoint with its waiting events and deliveries. `false` if unknown.
    async fn delete(&self, id: EndpointId, entry: Option<&Entry>) -> Result<bool, StoreError>;

    /// Moves an endpoint's cursor back to `to`. Subjects whose next event is later no longer wait:
    /// their events come again. A cursor at or before `to` stays, also with `true`. `false` for an
    /// unknown endpoint.
    async fn replay(
        &self,
        id: EndpointId,
        to: Cursor,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError>;

    /// Makes an event wait for an endpoint, as [`WaitingSubject::resend`] does for waiting
    /// subjects. The endpoint gets its next version, which soon ends a round in progress, and an
    /// open circuit becomes half-open ([`Health::probed_now`]). An event after the endpoint's
    /// cursor comes anyway: only the audit entry is written, and `true` returned. `false` for an
    /// unknown endpoint.
    async fn resend(
        &self,
        id: EndpointId,
        event: &WaitingSubject,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError>;

    /// The newest kept deliveries of an endpoint, at most `limit`.
    async fn deliveries(
        &self,
        id: EndpointId,
        limit: usize,
    ) -> Result<Vec<DeliveryRecord>, StoreError>;

    /// Leases active endpoints, neither leased nor resting, whose circuit is not
    /// [open](Health::is_open) and which have something to do: their cursor is before the log's
    /// end, or a waiting event is due; for a [half-open](Health::is_half_open) circuit any waiting
    /// event suffices. Concurrent callers get different endpoints. Never leased ones come first, by
    /// id, then those available longest, so each gets its turn.
    ///
    /// A lease ends by [`record`](Self::record) or [`release`](Self::release), which set the rest.
    /// Or it expires: the holder keeps it until another leases the endpoint. A rest above
    /// [`LONGEST_REST`] comes from a wrong clock, and is over.
    async fn lease(&self, query: &LeaseQuery) -> Result<Vec<TrackedEndpoint>, StoreError>;

    /// Extends leases to `until`. Returns those still held, with the endpoint's version: another
    /// version ends the round early.
    async fn renew(
        &self,
        leases: &[Lease],
        until: OffsetDateTime,
    ) -> Result<HashMap<Lease, Version>, StoreError>;

    /// Ends any number of leases in one commit, and skips lost ones.
    async fn release(&self, releases: &[Release]) -> Result<(), StoreError>;

    /// Up to `limit` due waiting subjects, the longest due first.
    async fn due(
        &self,
        endpoint: EndpointId,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<WaitingSubject>, StoreError>;

    /// Which of these subjects wait for the endpoint, in no order.
    async fn waiting_among(
        &self,
        endpoint: EndpointId,
        subjects: &HashSet<Uuid>,
    ) -> Result<Vec<WaitingSubject>, StoreError>;

    /// The number of waiting subjects, counted up to `limit`.
    async fn count_waiting(&self, endpoint: EndpointId, limit: usize) -> Result<usize, StoreError>;

    /// Writes a round's result and ends the lease in one commit, if the holder has the lease and
    /// the endpoint still has the round's version and cursor.
    async fn record(&self, holder: Uuid, round: &Round) -> Result<Recorded, StoreError>;

    /// The backlogs of up to `limit` active endpoints, ascending by id, at a bounded cost each.
    async fn backlog(&self, limit: usize) -> Result<Vec<EndpointBacklog>, StoreError>;
}
