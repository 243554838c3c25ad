//! The tables `webhook_endpoints`, `webhook_waiting` and `webhook_deliveries`.
//!
//! Every transaction that writes waiting events or deliveries of an endpoint locks the row of the
//! endpoint first, and one that locks several endpoints does so by id, or passes by those that are
//! locked: no two wait for each other.

mod delivery;
mod endpoint;
mod lease;
mod round;
mod waiting;

pub use self::{delivery::*, endpoint::*, lease::*, round::*, waiting::*};

/// The port [`Webhooks`](webhooks::Webhooks). How endpoints are leased, and how the result of a
/// round is written, is each store's own: `lease_endpoints`, `record_round`.
#[macro_export]
macro_rules! webhooks {
    ($store:ty) => {
        const _: () = {
            use std::collections::{HashMap, HashSet};

            use kernel::{StoreError, Version, audit::Entry, event::Cursor};
            use time::OffsetDateTime;
            use uuid::Uuid;
            use webhooks::{
                DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, EndpointWrite, Lease,
                LeaseQuery, Owner, Recorded, Release, Round, TrackedEndpoint, WaitingEvent,
                Webhooks,
            };
            use $crate::webhook;

            #[async_trait::async_trait]
            impl Webhooks for $store {
                async fn insert(
                    &self,
                    endpoint: &Endpoint,
                    start: Cursor,
                    entry: Option<&Entry>,
                ) -> Result<(), StoreError> {
                    let (endpoint, entry) = (endpoint.clone(), entry.cloned());
                    self.transaction(async move |conn| {
                        Ok(webhook::insert(conn, &endpoint, start, entry.as_ref()).await?)
                    })
                    .await
                }

                async fn find(
                    &self,
                    id: EndpointId,
                ) -> Result<Option<TrackedEndpoint>, StoreError> {
                    self.query(async move |conn| Ok(webhook::find(conn, id).await?))
                        .await
                }

                async fn list(
                    &self,
                    owner: Option<Owner>,
                    after: Option<EndpointId>,
                    limit: usize,
                ) -> Result<Vec<TrackedEndpoint>, StoreError> {
                    self.query(
                        async move |conn| Ok(webhook::list(conn, owner, after, limit).await?),
                    )
                    .await
                }

                async fn update(
                    &self,
                    write: &EndpointWrite,
                    entry: Option<&Entry>,
                ) -> Result<(), StoreError> {
                    let (write, entry) = (write.clone(), entry.cloned());
                    self.transaction(async move |conn| {
                        Ok(webhook::update(conn, &write, entry.as_ref()).await?)
                    })
                    .await
                }

                async fn delete(
                    &self,
                    id: EndpointId,
                    entry: Option<&Entry>,
                ) -> Result<bool, StoreError> {
                    let entry = entry.cloned();
                    self.transaction(async move |conn| {
                        Ok(webhook::delete(conn, id, entry.as_ref()).await?)
                    })
                    .await
                }

                async fn replay(
                    &self,
                    id: EndpointId,
                    to: Cursor,
                    entry: Option<&Entry>,
                ) -> Result<bool, StoreError> {
                    let entry = entry.cloned();
                    self.transaction(async move |conn| {
                        Ok(webhook::replay(conn, id, to, entry.as_ref()).await?)
                    })
                    .await
                }

                async fn resend(
                    &self,
                    id: EndpointId,
                    event: &WaitingEvent,
                    entry: Option<&Entry>,
                ) -> Result<bool, StoreError> {
                    let (event, entry) = (event.clone(), entry.cloned());
                    self.transaction(async move |conn| {
                        Ok(webhook::resend(conn, id, &event, entry.as_ref()).await?)
                    })
                    .await
                }

                async fn deliveries(
                    &self,
                    id: EndpointId,
                    limit: usize,
                ) -> Result<Vec<DeliveryRecord>, StoreError> {
                    self.query(async move |conn| Ok(webhook::deliveries(conn, id, limit).await?))
                        .await
                }

                async fn lease(
                    &self,
                    query: &LeaseQuery,
                ) -> Result<Vec<TrackedEndpoint>, StoreError> {
                    self.lease_endpoints(*query).await
                }

                async fn renew(
                    &self,
                    leases: &[Lease],
                    until: OffsetDateTime,
                ) -> Result<HashMap<Lease, Version>, StoreError> {
                    let leases = leases.to_vec();
                    self.repeatable(async move |conn| {
                        Ok(webhook::renew(conn, &leases, until).await?)
                    })
                    .await
                }

                async fn release(&self, releases: &[Release]) -> Result<(), StoreError> {
                    let releases = releases.to_vec();
                    self.repeatable(async move |conn| Ok(webhook::release(conn, &releases).await?))
                        .await
                }

                async fn due(
                    &self,
                    endpoint: EndpointId,
                    now: OffsetDateTime,
                    limit: usize,
                ) -> Result<Vec<WaitingEvent>, StoreError> {
                    self.query(
                        async move |conn| Ok(webhook::due(conn, endpoint, now, limit).await?),
                    )
                    .await
                }

                async fn waiting_among(
                    &self,
                    endpoint: EndpointId,
                    subjects: &HashSet<Uuid>,
                ) -> Result<HashSet<Uuid>, StoreError> {
                    let subjects: Vec<_> = subjects.iter().copied().collect();
                    self.query(async move |conn| {
                        Ok(webhook::waiting_among(conn, endpoint, &subjects).await?)
                    })
                    .await
                }

                async fn count_waiting(
                    &self,
                    endpoint: EndpointId,
                    limit: usize,
                ) -> Result<usize, StoreError> {
                    self.query(async move |conn| {
                        Ok(webhook::count_waiting(conn, endpoint, limit).await?)
                    })
                    .await
                }

                async fn record(
                    &self,
                    holder: Uuid,
                    round: &Round,
                ) -> Result<Recorded, StoreError> {
                    self.record_round(holder, round.clone()).await
                }

                async fn backlog(&self, limit: usize) -> Result<Vec<EndpointBacklog>, StoreError> {
                    self.query(async move |conn| Ok(webhook::backlog(conn, limit).await?))
                        .await
                }
            }
        };
    };
}
