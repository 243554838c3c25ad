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

/// How many of the newest deliveries the store keeps per endpoint.
pub const DELIVERIES_KEPT: usize = 100;

/// How long an endpoint rests after a round that leaves nothing to do. So even a steady stream of
/// events causes only about one round a second.
pub const REST: Duration = Duration::from_secs(1);

/// How long an endpoint with [`MOST_WAITING`] subjects rests.
pub const FULL_REST: Duration = Duration::from_secs(5);

/// The longest credible rest. The clocks of processes may differ by some seconds.
pub const LONGEST_REST: Duration = Duration::from_secs(10);

/// Waiting events are counted up to this number.
pub const MOST_WAITING_COUNTED: usize = 1_000;

/// An endpoint and its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedEndpoint {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The place up to which every event was delivered, waits, or is unwanted.
    pub cursor: Cursor,
    /// The circuit breaker.
    pub health: Health,
}

impl TrackedEndpoint {
    /// Whether the endpoint is disabled, or is active and has failed for an hour.
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
    /// When the attempt ended, or when the event became a dead letter without an attempt.
    pub at: OffsetDateTime,
    /// The event.
    pub event: Cursor,
    /// Its name.
    pub name: EventName,
    /// The attempt's number for this event; 0 if the event is no longer kept and had no attempt.
    pub attempt: u32,
    /// The status of the answer.
    pub status: Option<u16>,
    /// The time until the answer, in whole milliseconds.
    pub duration: Duration,
    /// Why the attempt failed.
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
    /// New and changed waiting subjects, ordered by their next event.
    pub waiting: Vec<WaitingSubject>,
    /// Subjects that no longer wait. None is in `waiting`.
    pub settled: Vec<Uuid>,
    /// The number of dead letters: events whose last attempt failed, or that are no longer kept.
    pub dead_letters: usize,
    /// The attempts, oldest first.
    pub deliveries: Vec<DeliveryRecord>,
    /// The new health.
    pub health: Health,
    /// Why the endpoint is disabled, if it is.
    pub disabled: Option<String>,
    /// Whether the endpoint answers again, so that unanswered waiting events are due now.
    pub wakes_silent: bool,
    /// When the round ended.
    pub at: OffsetDateTime,
    /// When the endpoint may be leased again: now, or after [`REST`] or [`FULL_REST`].
    pub again_at: OffsetDateTime,
}

impl Round {
    /// A round without attempts or events, which only ends the lease.
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

    /// Whether the round only ends the lease and skips unwanted events, like a [`Release`].
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
    /// The round was written, and the lease has ended.
    Done,
    /// Nothing was written, because the lease was lost or the cursor was moved back.
    Lost,
    /// Nothing was written, because the endpoint's version changed. The lease continues.
    Changed,
}

/// A lease of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The holder's id, random for each query. So a late end of a lease never ends the next lease.
    pub holder: Uuid,
}

/// The end of a lease that has no result except skipped events.
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
    /// When the endpoint may be leased again: now, or after [`REST`] or [`FULL_REST`].
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
    /// The largest number of endpoints to lease.
    pub limit: usize,
}

/// An endpoint's backlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointBacklog {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The number of waiting events, at most [`MOST_WAITING_COUNTED`].
    pub waiting: usize,
    /// The time of the first event after the cursor, even of an unwanted one.
    pub behind_since: Option<OffsetDateTime>,
}

/// The port to endpoints. An operator's call includes an audit entry. If the call has an effect,
/// the entry is written in the same commit.
///
/// A worker [leases](Self::lease) endpoints that have something to do, makes a round for each, and
/// [records](Self::record) the round, which ends the lease. If there are no attempts, the worker
/// [releases](Self::release) the endpoint. If a round is not recorded, because of a crash or a lost
/// lease, another worker repeats it.
#[async_trait]
pub trait Webhooks: Send + Sync {
    /// Adds an endpoint, which gets the events after a cursor.
    ///
    /// [`StoreError::Conflict`] above [`MOST_ENDPOINTS`](super::MOST_ENDPOINTS) per owner, even
    /// with concurrent callers.
    async fn insert(
        &self,
        endpoint: &Endpoint,
        start: Cursor,
        entry: Option<&Entry>,
    ) -> Result<(), StoreError>;

    /// Finds an endpoint.
    async fn find(&self, id: EndpointId) -> Result<Option<TrackedEndpoint>, StoreError>;

    /// Returns up to `limit` endpoints of an owner, or of all owners, after the given id,
    /// ascending.
    async fn list(
        &self,
        owner: Option<Owner>,
        after: Option<EndpointId>,
        limit: usize,
    ) -> Result<Vec<TrackedEndpoint>, StoreError>;

    /// Writes a changed endpoint. Its cursor, lease and deliveries stay. If the endpoint [starts
    /// over](EndpointWrite::starts_over), its health is reset, and attempts that are due later
    /// become due at the time of the change.
    ///
    /// [`StoreError::Conflict`] if the stored version differs or the endpoint was deleted.
    async fn update(&self, write: &EndpointWrite, entry: Option<&Entry>) -> Result<(), StoreError>;

    /// Deletes an endpoint with its waiting events and deliveries. Returns `false` if unknown.
    async fn delete(&self, id: EndpointId, entry: Option<&Entry>) -> Result<bool, StoreError>;

    /// Moves an endpoint's cursor back to `to`. Subjects whose next event is after `to` no longer
    /// wait, because the log has their events. A cursor at or before `to` stays. Returns `false`
    /// only for an unknown endpoint.
    async fn replay(
        &self,
        id: EndpointId,
        to: Cursor,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError>;

    /// Makes an event wait for an endpoint (see [`WaitingSubject::resend`]). The endpoint gets its
    /// next version, which soon ends a round in progress. An open circuit becomes half-open
    /// ([`Health::probed_now`]). An event after the endpoint's cursor will be delivered anyway, so
    /// only the audit entry is written. Returns `false` only for an unknown endpoint.
    async fn resend(
        &self,
        id: EndpointId,
        event: &WaitingSubject,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError>;

    /// Returns an endpoint's newest deliveries, at most `limit`.
    async fn deliveries(
        &self,
        id: EndpointId,
        limit: usize,
    ) -> Result<Vec<DeliveryRecord>, StoreError>;

    /// Leases active endpoints that are neither leased nor resting, and have something to do: their
    /// cursor is before the log's end, or a waiting event is due. While a circuit is
    /// [open](Health::is_open), its endpoint is skipped. If a circuit is
    /// [half-open](Health::is_half_open), any waiting event suffices. Concurrent callers get
    /// different endpoints. Endpoints that were never leased come first, by id, then the endpoints
    /// that have been available longest, so each gets its turn.
    ///
    /// [`record`](Self::record) and [`release`](Self::release) end a lease and set the endpoint's
    /// rest. After a lease expires, the holder keeps it until another caller leases the endpoint. A
    /// rest longer than [`LONGEST_REST`] comes from a wrong clock, and is ignored.
    async fn lease(&self, query: &LeaseQuery) -> Result<Vec<TrackedEndpoint>, StoreError>;

    /// Extends leases to `until`. Returns the leases still held, with their endpoints' versions. If
    /// a version has changed, the round ends early.
    async fn renew(
        &self,
        leases: &[Lease],
        until: OffsetDateTime,
    ) -> Result<HashMap<Lease, Version>, StoreError>;

    /// Ends any number of leases in one commit. Lost leases are skipped.
    async fn release(&self, releases: &[Release]) -> Result<(), StoreError>;

    /// Returns up to `limit` due waiting subjects, longest due first.
    async fn due(
        &self,
        endpoint: EndpointId,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<WaitingSubject>, StoreError>;

    /// Returns which of these subjects wait for the endpoint, in any order.
    async fn waiting_among(
        &self,
        endpoint: EndpointId,
        subjects: &HashSet<Uuid>,
    ) -> Result<Vec<WaitingSubject>, StoreError>;

    /// Counts the waiting subjects, up to `limit`.
    async fn count_waiting(&self, endpoint: EndpointId, limit: usize) -> Result<usize, StoreError>;

    /// Writes a round's result and ends the lease in one commit. The holder must have the lease,
    /// and the endpoint must still have the version and cursor of the round.
    async fn record(&self, holder: Uuid, round: &Round) -> Result<Recorded, StoreError>;

    /// Returns the backlogs of up to `limit` active endpoints, ascending by id, at a limited cost
    /// each.
    async fn backlog(&self, limit: usize) -> Result<Vec<EndpointBacklog>, StoreError>;
}
