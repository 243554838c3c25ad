//! The tables of webhooks, and the port to them.

mod endpoint;
mod lease;
mod round;

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use diesel::SqliteConnection;
use kernel::{StoreError, Version, audit::Entry, event::Cursor};
use sql_common::webhook::{Delete, Page};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{
    DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, EndpointWrite, Lease, LeaseQuery, Owner,
    Recorded, Release, Round, TrackedEndpoint, WaitingEvent, Webhooks,
};

use crate::{SqliteStore, audit, error::Failure, statement::execute};

fn write_entry(conn: &mut SqliteConnection, entry: Option<&Entry>) -> Result<(), Failure> {
    entry.map_or(Ok(()), |entry| audit::write(conn, entry))
}

#[async_trait]
impl Webhooks for SqliteStore {
    async fn insert(
        &self,
        endpoint: &Endpoint,
        start: Cursor,
        entry: Option<&Entry>,
    ) -> Result<(), StoreError> {
        let (endpoint, entry) = (endpoint.clone(), entry.cloned());
        self.connections
            .write(move |conn| {
                endpoint::insert(conn, &endpoint, start)?;
                write_entry(conn, entry.as_ref())
            })
            .await
    }

    async fn find(&self, id: EndpointId) -> Result<Option<TrackedEndpoint>, StoreError> {
        self.connections
            .read(move |conn| endpoint::find(conn, id))
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
            .read(move |conn| endpoint::list(conn, &page))
            .await
    }

    async fn update(&self, write: &EndpointWrite, entry: Option<&Entry>) -> Result<(), StoreError> {
        let (write, entry) = (write.clone(), entry.cloned());
        self.connections
            .write(move |conn| {
                endpoint::update(conn, &write)?;
                write_entry(conn, entry.as_ref())
            })
            .await
    }

    async fn delete(&self, id: EndpointId, entry: Option<&Entry>) -> Result<bool, StoreError> {
        let entry = entry.cloned();
        self.connections
            .write(move |conn| {
                let is_known = execute::<Delete>(conn, &[id.uuid().into()])? > 0;
                write_entry(conn, entry.as_ref().filter(|_| is_known))?;
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
            .write(move |conn| {
                let is_known = endpoint::replay(conn, id, to)?;
                write_entry(conn, entry.as_ref().filter(|_| is_known))?;
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
            .read(move |conn| round::deliveries(conn, id, limit))
            .await
    }

    async fn lease(&self, query: &LeaseQuery) -> Result<Vec<TrackedEndpoint>, StoreError> {
        let query = *query;
        // Mostly there is nothing to do, and then the write lock is not taken.
        let look = move |conn: &mut _| lease::may_be_leased(conn, &query);
        if self.connections.read(look).await?.is_empty() {
            return Ok(Vec::new());
        }
        self.connections
            .write(move |conn| lease::lease(conn, &query))
            .await
    }

    async fn renew(
        &self,
        leases: &[Lease],
        until: OffsetDateTime,
    ) -> Result<HashMap<Lease, Version>, StoreError> {
        let leases = leases.to_vec();
        self.connections
            .write(move |conn| lease::renew(conn, &leases, until))
            .await
    }

    async fn release(&self, releases: &[Release]) -> Result<(), StoreError> {
        let releases = releases.to_vec();
        self.connections
            .write(move |conn| lease::release(conn, &releases))
            .await
    }

    async fn due(
        &self,
        endpoint: EndpointId,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<WaitingEvent>, StoreError> {
        self.connections
            .read(move |conn| round::due(conn, endpoint, now, limit))
            .await
    }

    async fn waiting_among(
        &self,
        endpoint: EndpointId,
        subjects: &HashSet<Uuid>,
    ) -> Result<HashSet<Uuid>, StoreError> {
        let subjects = subjects.clone();
        self.connections
            .read(move |conn| round::waiting_among(conn, endpoint, subjects))
            .await
    }

    async fn count_waiting(&self, endpoint: EndpointId, limit: usize) -> Result<usize, StoreError> {
        self.connections
            .read(move |conn| round::count_waiting(conn, endpoint, limit))
            .await
    }

    async fn record(&self, holder: Uuid, round: &Round) -> Result<Recorded, StoreError> {
        let round = round.clone();
        self.connections
            .write(move |conn| round::record(conn, holder, &round))
            .await
    }

    async fn backlog(&self, limit: usize) -> Result<Vec<EndpointBacklog>, StoreError> {
        self.connections
            .read(move |conn| lease::backlog(conn, limit))
            .await
    }
}
