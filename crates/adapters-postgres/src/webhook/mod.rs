//! The tables of webhooks, and the port to them.
//!
//! Every transaction that writes waiting events or deliveries of an endpoint locks the row of the
//! endpoint first, and one that locks several endpoints does so by id, or passes by those that are
//! locked: no two wait for each other.

mod endpoint;
mod lease;
mod round;

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use kernel::{StoreError, Version, audit::Entry, event::Cursor};
use sql_common::webhook::{Delete, Page};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{
    DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, EndpointWrite, Lease, LeaseQuery, Owner,
    Recorded, Release, Round, TrackedEndpoint, WaitingEvent, Webhooks,
};

use crate::{PostgresStore, audit, error::Failure, statement::execute};

async fn write_entry(conn: &mut AsyncPgConnection, entry: Option<Entry>) -> Result<(), Failure> {
    match entry {
        Some(entry) => audit::write(conn, &[entry]).await,
        None => Ok(()),
    }
}

#[async_trait]
impl Webhooks for PostgresStore {
    async fn insert(
        &self,
        endpoint: &Endpoint,
        start: Cursor,
        entry: Option<&Entry>,
    ) -> Result<(), StoreError> {
        let (endpoint, entry) = (endpoint.clone(), entry.cloned());
        self.connections
            .transaction(async move |conn| {
                endpoint::insert(conn, &endpoint, start).await?;
                write_entry(conn, entry).await
            })
            .await
    }

    async fn find(&self, id: EndpointId) -> Result<Option<TrackedEndpoint>, StoreError> {
        self.connections
            .run(async move |conn| endpoint::find(conn, id).await)
            .await
    }

    async fn list(
        &self,
        owner: Option<Owner>,
        after: Option<EndpointId>,
        limit: usize,
    ) -> Result<Vec<TrackedEndpoint>, StoreError> {
        let page = Page::new(owner, after, limit);
        self.connections
            .run(async move |conn| endpoint::list(conn, &page).await)
            .await
    }

    async fn update(&self, write: &EndpointWrite, entry: Option<&Entry>) -> Result<(), StoreError> {
        let (write, entry) = (write.clone(), entry.cloned());
        self.connections
            .transaction(async move |conn| {
                endpoint::update(conn, &write).await?;
                write_entry(conn, entry).await
            })
            .await
    }

    async fn delete(&self, id: EndpointId, entry: Option<&Entry>) -> Result<bool, StoreError> {
        let entry = entry.cloned();
        self.connections
            .transaction(async move |conn| {
                let is_known = execute::<Delete>(conn, &[id.uuid().into()]).await? > 0;
                write_entry(conn, entry.filter(|_| is_known)).await?;
                Ok(is_known)
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
        self.connections
            .transaction(async move |conn| {
                let is_known = endpoint::replay(conn, id, to).await?;
                write_entry(conn, entry.filter(|_| is_known)).await?;
                Ok(is_known)
            })
            .await
    }

    async fn deliveries(
        &self,
        id: EndpointId,
        limit: usize,
    ) -> Result<Vec<DeliveryRecord>, StoreError> {
        self.connections
            .run(async move |conn| round::deliveries(conn, id, limit).await)
            .await
    }

    async fn lease(&self, query: &LeaseQuery) -> Result<Vec<TrackedEndpoint>, StoreError> {
        let query = *query;
        self.connections
            .run(async move |conn| lease::lease(conn, &query).await)
            .await
    }

    async fn renew(
        &self,
        leases: &[Lease],
        until: OffsetDateTime,
    ) -> Result<HashMap<Lease, Version>, StoreError> {
        let leases = leases.to_vec();
        self.connections
            .run(async move |conn| lease::renew(conn, &leases, until).await)
            .await
    }

    async fn release(&self, releases: &[Release]) -> Result<(), StoreError> {
        let releases = releases.to_vec();
        self.connections
            .run(async move |conn| lease::release(conn, &releases).await)
            .await
    }

    async fn due(
        &self,
        endpoint: EndpointId,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<WaitingEvent>, StoreError> {
        self.connections
            .run(async move |conn| round::due(conn, endpoint, now, limit).await)
            .await
    }

    async fn waiting_among(
        &self,
        endpoint: EndpointId,
        subjects: &HashSet<Uuid>,
    ) -> Result<HashSet<Uuid>, StoreError> {
        let subjects: Vec<_> = subjects.iter().copied().collect();
        self.connections
            .run(async move |conn| round::waiting_among(conn, endpoint, &subjects).await)
            .await
    }

    async fn count_waiting(&self, endpoint: EndpointId, limit: usize) -> Result<usize, StoreError> {
        self.connections
            .run(async move |conn| round::count_waiting(conn, endpoint, limit).await)
            .await
    }

    async fn record(&self, holder: Uuid, round: &Round) -> Result<Recorded, StoreError> {
        let round = round.clone();
        if let Some(reason) = round.disabled.clone() {
            self.connections
                .transaction(async move |conn| round::disable(conn, holder, &round, &reason).await)
                .await
        } else {
            self.connections
                .write(async move |conn| round::record(conn, holder, &round).await)
                .await
        }
    }

    async fn backlog(&self, limit: usize) -> Result<Vec<EndpointBacklog>, StoreError> {
        self.connections
            .run(async move |conn| lease::backlog(conn, limit).await)
            .await
    }
}
