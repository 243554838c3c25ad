//! The tables of webhooks, and the port to them.

mod lease;
mod round;

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use diesel::SqliteConnection;
use kernel::{StoreError, Version, audit::Entry, event::Cursor};
use sql_common::{
    event::cursor_values,
    webhook::{
        Delete, DropBehind, EndpointRecord, EndpointRow, Find, ForgetHealth, Hurry, IsFull,
        IsKnown, List, ListOwned, MoveBack, Page, TrackedRow, drop_behind_values, hurry_values,
        move_back_values, tracked,
    },
};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{
    DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, EndpointWrite, Lease, LeaseQuery, Owner,
    Recorded, Release, Round, TrackedEndpoint, WaitingEvent, Webhooks,
};

use crate::{
    SqliteStore, audit,
    error::Failure,
    statement::{Value, changing, execute, load, row, statement},
};

statement! {
    Insert =
    "INSERT INTO webhook_endpoints ({webhook_endpoints}, written_in, number) \
     VALUES ({webhook_endpoints ?}, ?, ?)",
    over [EndpointRow]
}

statement! {
    Update =
    "UPDATE webhook_endpoints SET {webhook_endpoints.changing = ?} WHERE id = ? AND version = ?",
    over [EndpointRow]
}

/// Adds an endpoint. A conflict if the owner has as many as it may have.
fn insert(conn: &mut SqliteConnection, endpoint: &Endpoint, start: Cursor) -> Result<(), Failure> {
    let record = EndpointRecord::from(endpoint);
    let full: Vec<(bool,)> = load::<IsFull, _>(conn, &record.is_full_values())?;
    if full == [(true,)] {
        return Err(StoreError::Conflict.into());
    }
    let mut values = row::<EndpointRow>(&record);
    values.extend(cursor_values(start).map(Value::from));
    execute::<Insert>(conn, &values)?;
    Ok(())
}

fn find(conn: &mut SqliteConnection, id: EndpointId) -> Result<Option<TrackedEndpoint>, Failure> {
    let rows: Vec<TrackedRow> = load::<Find, _>(conn, &[id.uuid().into()])?;
    Ok(rows.into_iter().map(tracked).next().transpose()?)
}

fn list(conn: &mut SqliteConnection, page: &Page) -> Result<Vec<TrackedEndpoint>, Failure> {
    let values = page.values();
    let rows: Vec<TrackedRow> = match page.owner {
        Some(_) => load::<ListOwned, _>(conn, &values)?,
        None => load::<List, _>(conn, &values)?,
    };
    Ok(rows.into_iter().map(tracked).collect::<Result<_, _>>()?)
}

/// Writes a change. A conflict if the version is another one.
fn update(conn: &mut SqliteConnection, write: &EndpointWrite) -> Result<(), Failure> {
    let (endpoint, record) = (&write.endpoint, EndpointRecord::from(&write.endpoint));
    let id = Value::from(endpoint.id.uuid());
    let mut values = changing::<EndpointRow>(&record);
    values.extend([id, write.expected.into()]);
    if execute::<Update>(conn, &values)? == 0 {
        return Err(StoreError::Conflict.into());
    }
    if write.starts_over {
        execute::<ForgetHealth>(conn, &[id])?;
        execute::<Hurry>(conn, &hurry_values(endpoint.id, endpoint.updated_at))?;
    }
    Ok(())
}

fn replay(conn: &mut SqliteConnection, id: EndpointId, to: Cursor) -> Result<bool, Failure> {
    if execute::<MoveBack>(conn, &move_back_values(id, to))? > 0 {
        execute::<DropBehind>(conn, &drop_behind_values(id, to))?;
        return Ok(true);
    }
    let known: Vec<(i64,)> = load::<IsKnown, _>(conn, &[id.uuid().into()])?;
    Ok(known.first() == Some(&(1,)))
}

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
                insert(conn, &endpoint, start)?;
                write_entry(conn, entry.as_ref())
            })
            .await
    }

    async fn find(&self, id: EndpointId) -> Result<Option<TrackedEndpoint>, StoreError> {
        self.connections.read(move |conn| find(conn, id)).await
    }

    async fn list(
        &self,
        owner: Option<Owner>,
        after: Option<EndpointId>,
        limit: usize,
    ) -> Result<Vec<TrackedEndpoint>, StoreError> {
        let page = Page::new(owner, after, limit);
        self.connections.read(move |conn| list(conn, &page)).await
    }

    async fn update(&self, write: &EndpointWrite, entry: Option<&Entry>) -> Result<(), StoreError> {
        let (write, entry) = (write.clone(), entry.cloned());
        self.connections
            .write(move |conn| {
                update(conn, &write)?;
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
                let is_known = replay(conn, id, to)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::assert_uses_index};

    #[tokio::test]
    async fn endpoints_are_listed_in_order() {
        assert_uses_index(List::text(), "sqlite_autoindex_webhook_endpoints_1").await;
        assert_uses_index(ListOwned::text(), "webhook_endpoints_by_owner").await;
    }
}
