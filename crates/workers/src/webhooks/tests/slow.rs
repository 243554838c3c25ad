//! Endpoints in memory that take their time, as a store elsewhere does.

use std::collections::{HashMap, HashSet};

use ::webhooks::{
    DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, EndpointWrite, Owner, Recorded, Round,
    WaitingEvent,
};
use kernel::{Version, audit::Entry, event::Cursor};
use time::OffsetDateTime;

use super::*;

/// Leases end a while after their round was recorded, or their holder asked for it. Questions for
/// endpoints are counted, and commits at the end of rounds; the store can be away.
pub(super) struct SlowEndpoints(
    pub Arc<MemoryStore>,
    pub Arc<AtomicUsize>,
    pub Arc<AtomicUsize>,
    pub Arc<AtomicBool>,
);

const WHILE: Duration = Duration::from_millis(150);

#[async_trait]
impl Webhooks for SlowEndpoints {
    async fn insert(
        &self,
        endpoint: &Endpoint,
        start: Cursor,
        entry: Option<&Entry>,
    ) -> Result<(), StoreError> {
        Webhooks::insert(&*self.0, endpoint, start, entry).await
    }

    async fn find(&self, id: EndpointId) -> Result<Option<TrackedEndpoint>, StoreError> {
        if self.3.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("a test".to_owned()));
        }
        Webhooks::find(&*self.0, id).await
    }

    async fn list(
        &self,
        owner: Option<Owner>,
        after: Option<EndpointId>,
        limit: usize,
    ) -> Result<Vec<TrackedEndpoint>, StoreError> {
        Webhooks::list(&*self.0, owner, after, limit).await
    }

    async fn update(&self, write: &EndpointWrite, entry: Option<&Entry>) -> Result<(), StoreError> {
        Webhooks::update(&*self.0, write, entry).await
    }

    async fn delete(&self, id: EndpointId, entry: Option<&Entry>) -> Result<bool, StoreError> {
        self.0.delete(id, entry).await
    }

    async fn replay(
        &self,
        id: EndpointId,
        to: Cursor,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError> {
        self.0.replay(id, to, entry).await
    }

    async fn resend(
        &self,
        id: EndpointId,
        event: &WaitingEvent,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError> {
        self.0.resend(id, event, entry).await
    }

    async fn deliveries(
        &self,
        id: EndpointId,
        limit: usize,
    ) -> Result<Vec<DeliveryRecord>, StoreError> {
        self.0.deliveries(id, limit).await
    }

    async fn lease(&self, query: &LeaseQuery) -> Result<Vec<TrackedEndpoint>, StoreError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        if self.3.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("a test".to_owned()));
        }
        self.0.lease(query).await
    }

    async fn renew(
        &self,
        leases: &[Lease],
        until: OffsetDateTime,
    ) -> Result<HashMap<Lease, Version>, StoreError> {
        if self.3.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        self.0.renew(leases, until).await
    }

    async fn release(&self, releases: &[Release]) -> Result<(), StoreError> {
        sleep(WHILE).await;
        self.2.fetch_add(1, Ordering::SeqCst);
        Webhooks::release(&*self.0, releases).await
    }

    async fn due(
        &self,
        endpoint: EndpointId,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<WaitingEvent>, StoreError> {
        self.0.due(endpoint, now, limit).await
    }

    async fn waiting_among(
        &self,
        endpoint: EndpointId,
        subjects: &HashSet<Uuid>,
    ) -> Result<HashSet<Uuid>, StoreError> {
        self.0.waiting_among(endpoint, subjects).await
    }

    async fn count_waiting(&self, endpoint: EndpointId, limit: usize) -> Result<usize, StoreError> {
        self.0.count_waiting(endpoint, limit).await
    }

    /// The answer comes late.
    async fn record(&self, holder: Uuid, round: &Round) -> Result<Recorded, StoreError> {
        if self.3.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("a test".to_owned()));
        }
        self.2.fetch_add(1, Ordering::SeqCst);
        let recorded = self.0.record(holder, round).await;
        sleep(WHILE).await;
        recorded
    }

    async fn backlog(&self, limit: usize) -> Result<Vec<EndpointBacklog>, StoreError> {
        Webhooks::backlog(&*self.0, limit).await
    }
}
