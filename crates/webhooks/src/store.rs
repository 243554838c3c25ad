//! The port to the endpoints and to the work that waits for them.

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

/// The number of newest deliveries that are kept of an endpoint.
pub const DELIVERIES_KEPT: usize = 100;

/// The time for which an endpoint rests after a round that leaves nothing to do at once: events
/// that come all the time make about one round a second, whether it wants them or not.
pub const REST: Duration = Duration::from_secs(1);

/// The rest of an endpoint that takes no fresh events for now, however many there are.
pub const FULL_REST: Duration = Duration::from_secs(5);

/// The longest rest that is believed: the clocks of processes differ by some seconds.
pub const LONGEST_REST: Duration = Duration::from_secs(10);

/// The largest count of an endpoint's waiting events.
pub const MOST_WAITING_COUNTED: usize = 1_000;

/// An endpoint, and how far its deliveries are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedEndpoint {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The place in the log up to which every event was delivered, waits, or is not wanted.
    pub cursor: Cursor,
    /// Its circuit breaker.
    pub health: Health,
}

impl TrackedEndpoint {
    /// Whether it needs attention: it is disabled, or has failed for an hour.
    pub fn needs_attention(&self, now: OffsetDateTime) -> bool {
        let is_failing = |since: OffsetDateTime| now - since >= time::Duration::HOUR;
        match self.endpoint.state {
            EndpointState::Disabled => true,
            EndpointState::Active => self.health.failing_since.is_some_and(is_failing),
            EndpointState::Paused => false,
        }
    }
}

/// An attempt at an event, for the endpoint's owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// When it ended, or the event became a dead letter without one.
    pub at: OffsetDateTime,
    /// The event.
    pub event: Cursor,
    /// Its name.
    pub name: EventName,
    /// Counts the attempts at this event, from 1.
    pub attempt: u32,
    /// The status of the answer.
    pub status: Option<u16>,
    /// The time until the answer; whole milliseconds.
    pub duration: Duration,
    /// Why it failed.
    pub error: Option<String>,
}

/// The result of a round of deliveries to one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// Its version when the round began.
    pub version: Version,
    /// Its cursor then.
    pub from: Cursor,
    /// Its cursor now.
    pub to: Cursor,
    /// Subjects that wait, new and changed ones, by the place of their next event.
    pub waiting: Vec<WaitingSubject>,
    /// Subjects that wait no longer. None of them is in `waiting`.
    pub settled: Vec<Uuid>,
    /// The number of dead letters: events whose last attempt failed, and which wait no longer.
    pub dead_letters: usize,
    /// The attempts, oldest first.
    pub deliveries: Vec<DeliveryRecord>,
    /// The circuit breaker now.
    pub health: Health,
    /// Why the endpoint is disabled, if it is.
    pub disabled: Option<String>,
    /// Whether the endpoint answers again: waiting events whose last attempt was not answered are
    /// due now.
    pub wakes_silent: bool,
    /// The time of the end.
    pub at: OffsetDateTime,
    /// The time from which on the endpoint may be leased again: [at most](REST) a second later.
    pub again_at: OffsetDateTime,
}

impl Round {
    /// A round without attempts and events, which ends the lease.
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

    /// Whether it does nothing but end the lease and pass events that the endpoint does not want,
    /// as a [`Release`] does.
    pub fn is_idle(&self) -> bool {
        self.deliveries.is_empty()
            && self.settled.is_empty()
            && self.waiting.is_empty()
            && self.disabled.is_none()
    }
}

/// The outcome of recording a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It is written, and the lease has ended.
    Done,
    /// Nothing is written: the holder has lost the lease, or the cursor is not the one that the
    /// round began with because it was moved back meanwhile.
    Lost,
    /// Nothing is written, and the lease goes on: the endpoint has another version than the round.
    Changed,
}

/// A lease of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The id of the holder, drawn at random for each question for endpoints, so that the late end
    /// of one lease is never that of the next one of the same endpoint.
    pub holder: Uuid,
}

/// The end of a lease without a result, but for events that the endpoint does not want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The lease.
    pub lease: Lease,
    /// The endpoint's version when it was leased.
    pub version: Version,
    /// Its cursor then.
    pub from: Cursor,
    /// Its cursor now, if version and cursor are still those.
    pub to: Cursor,
    /// The time from which on the endpoint may be leased again: [at most](REST) a second later.
    pub again_at: OffsetDateTime,
}

/// A question for endpoints to work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseQuery {
    /// The id of the leases' holder, drawn at random for each question.
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

/// How far an endpoint is behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointBacklog {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The number of its waiting events, at most [`MOST_WAITING_COUNTED`].
    pub waiting: usize,
    /// The time of the first event of any name after its cursor.
    pub behind_since: Option<OffsetDateTime>,
}

/// The port to the endpoints. Calls that an operator makes bring an audit entry along, which is
/// written in the same commit, and only if the call has an effect.
///
/// A worker [leases](Self::lease) endpoints with something to do, makes a round of attempts for
/// each, and [records](Self::record) it, which ends the lease; one without attempts is
/// [released](Self::release). A round that is not recorded, by a crash or because the lease was
/// lost, is made again.
#[async_trait]
pub trait Webhooks: Send + Sync {
    /// Adds an endpoint that gets the events after a cursor.
    ///
    /// [`StoreError::Conflict`] if its owner has [`MOST_ENDPOINTS`](super::MOST_ENDPOINTS) already,
    /// also if several callers add one at the same time.
    async fn insert(
        &self,
        endpoint: &Endpoint,
        start: Cursor,
        entry: Option<&Entry>,
    ) -> Result<(), StoreError>;

    /// Finds an endpoint.
    async fn find(&self, id: EndpointId) -> Result<Option<TrackedEndpoint>, StoreError>;

    /// Up to `limit` endpoints of an owner, or of all, that follow the given id, ascending by id.
    async fn list(
        &self,
        owner: Option<Owner>,
        after: Option<EndpointId>,
        limit: usize,
    ) -> Result<Vec<TrackedEndpoint>, StoreError>;

    /// Writes a change of an endpoint. It keeps its place in the log, its lease and its deliveries.
    /// If it [starts over](EndpointWrite::starts_over), its health is the default, and no next
    /// attempt is due later than at the time of the change.
    ///
    /// [`StoreError::Conflict`] if its version is not the expected one, or it was deleted.
    async fn update(&self, write: &EndpointWrite, entry: Option<&Entry>) -> Result<(), StoreError>;

    /// Deletes an endpoint, its waiting events and its deliveries. `false` for an unknown one.
    async fn delete(&self, id: EndpointId, entry: Option<&Entry>) -> Result<bool, StoreError>;

    /// Moves an endpoint's cursor back to `to`. Subjects whose next event is after that wait no
    /// longer, because their events come again. A cursor that is not after `to` stays, and `true`
    /// is returned as well. `false` for an unknown endpoint.
    async fn replay(
        &self,
        id: EndpointId,
        to: Cursor,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError>;

    /// Has an event wait for an endpoint, as [`WaitingSubject::resend`] says if its subject waits
    /// already. The endpoint gets its next version, so that a round under way ends soon, and an
    /// open circuit is half open ([`Health::probed_now`]). An event that the endpoint has yet to
    /// get comes anyway: nothing is written but the audit entry, and `true` is returned as well.
    /// `false` for an unknown endpoint.
    async fn resend(
        &self,
        id: EndpointId,
        event: &WaitingSubject,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError>;

    /// The newest kept deliveries to an endpoint, newest first, at most `limit`.
    async fn deliveries(
        &self,
        id: EndpointId,
        limit: usize,
    ) -> Result<Vec<DeliveryRecord>, StoreError>;

    /// Leases active endpoints that are not leased and not resting, whose circuit is not
    /// [open](Health::is_open), and for which there is something to do: their cursor is before the
    /// end of the log, or a waiting event is due; while the circuit is
    /// [half open](Health::is_half_open), any waiting event will do. Concurrent callers get
    /// different endpoints. Those that were never leased come first, by id, then those that could
    /// be leased for the longest time, so that each has its turn.
    ///
    /// A lease ends by [`record`](Self::record) or [`release`](Self::release), which say how long
    /// the endpoint rests; a rest longer than [`LONGEST_REST`] is that of a clock that was wrong,
    /// and over. Or it ends with its time: its holder still has it until another one leases the
    /// endpoint.
    async fn lease(&self, query: &LeaseQuery) -> Result<Vec<TrackedEndpoint>, StoreError>;

    /// Moves the end of leases to `until`. Returns those that are still held, with the version of
    /// the endpoint: a round ends early if it is another one.
    async fn renew(
        &self,
        leases: &[Lease],
        until: OffsetDateTime,
    ) -> Result<HashMap<Lease, Version>, StoreError>;

    /// Ends leases in one commit, however many. One that is not held any more is passed by.
    async fn release(&self, releases: &[Release]) -> Result<(), StoreError>;

    /// Up to `limit` waiting subjects whose next attempt is due, the longest due first.
    async fn due(
        &self,
        endpoint: EndpointId,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<WaitingSubject>, StoreError>;

    /// The subjects among these that wait for the endpoint, in no order.
    async fn waiting_among(
        &self,
        endpoint: EndpointId,
        subjects: &HashSet<Uuid>,
    ) -> Result<Vec<WaitingSubject>, StoreError>;

    /// The number of subjects that wait for the endpoint, counted up to `limit`.
    async fn count_waiting(&self, endpoint: EndpointId, limit: usize) -> Result<usize, StoreError>;

    /// Writes the result of a round in one commit, and ends the lease, if the holder has the lease
    /// and the endpoint has the round's version and cursor.
    async fn record(&self, holder: Uuid, round: &Round) -> Result<Recorded, StoreError>;

    /// The backlogs of up to `limit` active endpoints, ascending by id. The cost of each is
    /// bounded.
    async fn backlog(&self, limit: usize) -> Result<Vec<EndpointBacklog>, StoreError>;
}
