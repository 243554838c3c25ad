//! A store of endpoints in memory.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Bound,
};

use async_trait::async_trait;
use kernel::{StoreError, Version, audit::Entry, event::Cursor, testing::MemoryStore};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    DELIVERIES_KEPT, DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, EndpointState,
    EndpointWrite, Health, LONGER_THAN_ANY_WAIT, LONGEST_REST, Lease, LeaseQuery, MOST_ENDPOINTS,
    MOST_WAITING_COUNTED, Owner, Recorded, Release, Round, TrackedEndpoint, WaitingSubject,
    Webhooks,
};

#[derive(Debug, Default)]
struct Endpoints(BTreeMap<EndpointId, Row>);

#[derive(Debug)]
struct Row {
    tracked: TrackedEndpoint,
    holder: Option<Uuid>,
    /// The end of the lease. Without a holder, the end of the rest.
    leased_until: Option<OffsetDateTime>,
    waiting: BTreeMap<Uuid, WaitingSubject>,
    deliveries: Vec<DeliveryRecord>,
}

impl Row {
    fn is_active(&self) -> bool {
        self.tracked.endpoint.state == EndpointState::Active
    }

    fn is_free(&self, now: OffsetDateTime) -> bool {
        self.leased_until.is_none_or(|until| {
            until <= now || (self.holder.is_none() && until > now + LONGEST_REST)
        })
    }

    fn has_work(&self, query: &LeaseQuery) -> bool {
        let due_by = if self.tracked.health.is_half_open() {
            query.now + LONGER_THAN_ANY_WAIT
        } else {
            query.now
        };
        self.tracked.cursor < query.end || self.due(due_by).next().is_some()
    }

    fn due(&self, now: OffsetDateTime) -> impl Iterator<Item = &WaitingSubject> {
        let waiting = self.waiting.values();
        waiting.filter(move |waiting| waiting.next_at <= now)
    }

    fn hurry(&mut self, now: OffsetDateTime, is_chosen: impl Fn(&WaitingSubject) -> bool) {
        for waiting in self.waiting.values_mut().filter(|it| is_chosen(it)) {
            waiting.next_at = waiting.next_at.min(now);
        }
    }

    fn is_held_by(&self, holder: Uuid) -> bool {
        self.holder == Some(holder)
    }

    fn end_lease(&mut self, again_at: OffsetDateTime) {
        self.holder = None;
        self.leased_until = Some(again_at);
    }

    fn apply(&mut self, round: &Round) {
        let tracked = &mut self.tracked;
        tracked.cursor = round.to;
        tracked.health = round.health;
        if let Some(reason) = &round.disabled {
            tracked.endpoint = tracked.endpoint.disable(reason, round.at);
        }
        let waiting = round.waiting.iter();
        self.waiting
            .extend(waiting.map(|it| (it.subject, it.clone())));
        for subject in &round.settled {
            self.waiting.remove(subject);
        }
        if round.wakes_silent {
            self.hurry(round.at, |waiting| waiting.is_silent);
        }
        self.deliveries.extend(round.deliveries.iter().cloned());
        let older = self.deliveries.len().saturating_sub(DELIVERIES_KEPT);
        self.deliveries.drain(..older);
        self.end_lease(round.again_at);
    }
}

impl Endpoints {
    fn held(&mut self, lease: &Lease) -> Option<&mut Row> {
        let row = self.0.get_mut(&lease.endpoint);
        row.filter(|row| row.is_held_by(lease.holder))
    }
}

#[async_trait]
impl Webhooks for MemoryStore {
    async fn insert(
        &self,
        endpoint: &Endpoint,
        start: Cursor,
        entry: Option<&Entry>,
    ) -> Result<(), StoreError> {
        let mut endpoints = self.part::<Endpoints>();
        let rows = endpoints.0.values();
        let owned = rows.filter(|row| row.tracked.endpoint.owner == endpoint.owner);
        if owned.count() >= MOST_ENDPOINTS {
            return Err(StoreError::Conflict);
        }
        let row = Row {
            tracked: TrackedEndpoint {
                endpoint: endpoint.clone(),
                cursor: start,
                health: Health::default(),
            },
            holder: None,
            leased_until: None,
            waiting: BTreeMap::new(),
            deliveries: Vec::new(),
        };
        endpoints.0.insert(endpoint.id, row);
        self.shared().record_entry(entry.cloned());
        Ok(())
    }

    async fn find(&self, id: EndpointId) -> Result<Option<TrackedEndpoint>, StoreError> {
        let endpoints = self.part::<Endpoints>();
        Ok(endpoints.0.get(&id).map(|row| row.tracked.clone()))
    }

    async fn list(
        &self,
        owner: Option<Owner>,
        after: Option<EndpointId>,
        limit: usize,
    ) -> Result<Vec<TrackedEndpoint>, StoreError> {
        let endpoints = self.part::<Endpoints>();
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let rows = endpoints.0.range((start, Bound::Unbounded));
        let tracked = rows.map(|(_, row)| &row.tracked);
        let is_owned =
            |row: &&TrackedEndpoint| owner.is_none_or(|owner| row.endpoint.owner == owner);
        Ok(tracked.filter(is_owned).take(limit).cloned().collect())
    }

    async fn update(&self, write: &EndpointWrite, entry: Option<&Entry>) -> Result<(), StoreError> {
        let mut endpoints = self.part::<Endpoints>();
        let row = endpoints.0.get_mut(&write.endpoint.id);
        let row = row.filter(|row| row.tracked.endpoint.version == write.expected);
        let row = row.ok_or(StoreError::Conflict)?;
        row.tracked.endpoint = write.endpoint.clone();
        if write.starts_over {
            row.tracked.health = Health::default();
            row.hurry(write.endpoint.updated_at, |_| true);
        }
        self.shared().record_entry(entry.cloned());
        Ok(())
    }

    async fn delete(&self, id: EndpointId, entry: Option<&Entry>) -> Result<bool, StoreError> {
        let mut endpoints = self.part::<Endpoints>();
        let is_known = endpoints.0.remove(&id).is_some();
        if is_known {
            self.shared().record_entry(entry.cloned());
        }
        Ok(is_known)
    }

    async fn replay(
        &self,
        id: EndpointId,
        to: Cursor,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError> {
        let mut endpoints = self.part::<Endpoints>();
        let Some(row) = endpoints.0.get_mut(&id) else {
            return Ok(false);
        };
        if to < row.tracked.cursor {
            row.tracked.cursor = to;
            row.waiting.retain(|_, waiting| waiting.next.cursor <= to);
        }
        self.shared().record_entry(entry.cloned());
        Ok(true)
    }

    async fn resend(
        &self,
        id: EndpointId,
        event: &WaitingSubject,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError> {
        let mut endpoints = self.part::<Endpoints>();
        let Some(row) = endpoints.0.get_mut(&id) else {
            return Ok(false);
        };
        if event.next.cursor <= row.tracked.cursor {
            row.tracked.endpoint.version += 1;
            row.tracked.health = row.tracked.health.probed_now();
            let stored = row.waiting.entry(event.subject);
            stored
                .and_modify(|waiting| waiting.resend(&event.next, event.next_at))
                .or_insert_with(|| event.clone());
        }
        self.shared().record_entry(entry.cloned());
        Ok(true)
    }

    async fn deliveries(
        &self,
        id: EndpointId,
        limit: usize,
    ) -> Result<Vec<DeliveryRecord>, StoreError> {
        let endpoints = self.part::<Endpoints>();
        let rows = endpoints.0.get(&id).into_iter();
        let newest = rows.flat_map(|row| row.deliveries.iter().rev());
        Ok(newest.take(limit).cloned().collect())
    }

    async fn lease(&self, query: &LeaseQuery) -> Result<Vec<TrackedEndpoint>, StoreError> {
        let mut endpoints = self.part::<Endpoints>();
        let may_be_leased = |row: &&mut Row| {
            row.is_active()
                && row.is_free(query.now)
                && !row.tracked.health.is_open(query.now)
                && row.has_work(query)
        };
        let mut rows: Vec<_> = endpoints.0.values_mut().filter(may_be_leased).collect();
        rows.sort_by_key(|row| (row.leased_until, row.tracked.endpoint.id));
        rows.truncate(query.limit);
        let lease = |row: &mut Row| {
            row.holder = Some(query.holder);
            row.leased_until = Some(query.until);
            row.tracked.clone()
        };
        Ok(rows.into_iter().map(lease).collect())
    }

    async fn renew(
        &self,
        leases: &[Lease],
        until: OffsetDateTime,
    ) -> Result<HashMap<Lease, Version>, StoreError> {
        let mut endpoints = self.part::<Endpoints>();
        let mut held = HashMap::new();
        for lease in leases {
            if let Some(row) = endpoints.held(lease) {
                row.leased_until = Some(until);
                held.insert(*lease, row.tracked.endpoint.version);
            }
        }
        Ok(held)
    }

    async fn release(&self, releases: &[Release]) -> Result<(), StoreError> {
        let mut endpoints = self.part::<Endpoints>();
        for release in releases {
            if let Some(row) = endpoints.held(&release.lease) {
                let tracked = &mut row.tracked;
                if (tracked.endpoint.version, tracked.cursor) == (release.version, release.from) {
                    tracked.cursor = release.to;
                }
                row.end_lease(release.again_at);
            }
        }
        Ok(())
    }

    async fn due(
        &self,
        endpoint: EndpointId,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<WaitingSubject>, StoreError> {
        let endpoints = self.part::<Endpoints>();
        let rows = endpoints.0.get(&endpoint).into_iter();
        let mut due: Vec<_> = rows.flat_map(|row| row.due(now)).cloned().collect();
        due.sort_by_key(|waiting| (waiting.next_at, waiting.next.cursor));
        due.truncate(limit);
        Ok(due)
    }

    async fn waiting_among(
        &self,
        endpoint: EndpointId,
        subjects: &HashSet<Uuid>,
    ) -> Result<Vec<WaitingSubject>, StoreError> {
        let endpoints = self.part::<Endpoints>();
        let rows = endpoints.0.get(&endpoint).into_iter();
        let waiting = rows.flat_map(|row| row.waiting.values());
        let among = waiting.filter(|waiting| subjects.contains(&waiting.subject));
        Ok(among.cloned().collect())
    }

    async fn count_waiting(&self, endpoint: EndpointId, limit: usize) -> Result<usize, StoreError> {
        let endpoints = self.part::<Endpoints>();
        let row = endpoints.0.get(&endpoint);
        Ok(row.map_or(0, |row| row.waiting.len().min(limit)))
    }

    async fn record(&self, holder: Uuid, round: &Round) -> Result<Recorded, StoreError> {
        let mut endpoints = self.part::<Endpoints>();
        let lease = Lease {
            endpoint: round.endpoint,
            holder,
        };
        let row = endpoints.held(&lease);
        let Some(row) = row.filter(|row| row.tracked.cursor == round.from) else {
            return Ok(Recorded::Lost);
        };
        if row.tracked.endpoint.version != round.version {
            return Ok(Recorded::Changed);
        }
        row.apply(round);
        Ok(Recorded::Done)
    }

    async fn backlog(&self, limit: usize) -> Result<Vec<EndpointBacklog>, StoreError> {
        let endpoints = self.part::<Endpoints>();
        let rows = endpoints.0.values().filter(|row| row.is_active());
        let listed = |row: &Row| {
            row.waiting
                .values()
                .map(WaitingSubject::count)
                .sum::<usize>()
        };
        let backlog = rows.map(|row| EndpointBacklog {
            endpoint: row.tracked.endpoint.id,
            waiting: listed(row).min(MOST_WAITING_COUNTED),
            behind_since: self.shared().next_event_at(row.tracked.cursor),
        });
        Ok(backlog.take(limit).collect())
    }
}
