//! The tables of webhooks, and the port to them.
//!
//! Every transaction that writes waiting events or deliveries of an endpoint locks the row of the
//! endpoint first, and one that locks several endpoints does so by id, or passes by those that are
//! locked: no two wait for each other.

mod lease;
mod round;

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
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
    PostgresStore, audit,
    error::Failure,
    statement::{Value, execute, load, row, statement},
};

statement! {
    Insert =
    "INSERT INTO webhook_endpoints ({webhook_endpoints}, written_in, number) \
     VALUES ({webhook_endpoints ? sent}, ?, ?)",
    over [EndpointRow]
}

statement! {
    Update =
    "UPDATE webhook_endpoints SET {webhook_endpoints.changing = sent} \
     FROM (VALUES ({webhook_endpoints ?})) AS sent ({webhook_endpoints}) \
     WHERE webhook_endpoints.id = sent.id AND webhook_endpoints.version = ?",
    over [EndpointRow]
}

statement! {
    /// Lets registrations of one owner count one after the other. An owner need not have a row that
    /// could be locked.
    LockOwner = "SELECT pg_advisory_xact_lock(hashtext('webhook_endpoints'), hashtext(?))"
}

/// Adds an endpoint, in a transaction of the caller's. A conflict if the owner has as many as it
/// may have.
async fn insert(
    conn: &mut AsyncPgConnection,
    endpoint: &Endpoint,
    start: Cursor,
) -> Result<(), Failure> {
    let record = EndpointRecord::from(endpoint);
    execute::<LockOwner>(conn, &[record.owner().into()]).await?;
    let full: Vec<(bool,)> =
        load::<IsFull, _>(conn, &record.is_full_values().map(Value::from)).await?;
    if full == [(true,)] {
        return Err(Failure::Conflict);
    }
    let mut values = row::<EndpointRow>(&record);
    values.extend(cursor_values(start).map(Value::from));
    execute::<Insert>(conn, &values).await?;
    Ok(())
}

async fn find(
    conn: &mut AsyncPgConnection,
    id: EndpointId,
) -> Result<Option<TrackedEndpoint>, Failure> {
    let rows: Vec<TrackedRow> = load::<Find, _>(conn, &[id.uuid().into()]).await?;
    Ok(rows.into_iter().map(tracked).next().transpose()?)
}

async fn list(conn: &mut AsyncPgConnection, page: &Page) -> Result<Vec<TrackedEndpoint>, Failure> {
    let values: Vec<_> = page.values().into_iter().map(Value::from).collect();
    let rows: Vec<TrackedRow> = match page.owner {
        Some(_) => load::<ListOwned, _>(conn, &values).await?,
        None => load::<List, _>(conn, &values).await?,
    };
    Ok(rows.into_iter().map(tracked).collect::<Result<_, _>>()?)
}

/// Writes a change, in a transaction of the caller's. A conflict if the version is another one.
async fn update(conn: &mut AsyncPgConnection, write: &EndpointWrite) -> Result<(), Failure> {
    let (endpoint, record) = (&write.endpoint, EndpointRecord::from(&write.endpoint));
    let mut values = row::<EndpointRow>(&record);
    values.push(write.expected.into());
    if execute::<Update>(conn, &values).await? == 0 {
        return Err(Failure::Conflict);
    }
    if write.starts_over {
        execute::<ForgetHealth>(conn, &[endpoint.id.uuid().into()]).await?;
        let values = hurry_values(endpoint.id, endpoint.updated_at).map(Value::from);
        execute::<Hurry>(conn, &values).await?;
    }
    Ok(())
}

async fn replay(conn: &mut AsyncPgConnection, id: EndpointId, to: Cursor) -> Result<bool, Failure> {
    let values = move_back_values(id, to).map(Value::from);
    if execute::<MoveBack>(conn, &values).await? > 0 {
        let values = drop_behind_values(id, to).map(Value::from);
        execute::<DropBehind>(conn, &values).await?;
        return Ok(true);
    }
    let known: Vec<(i64,)> = load::<IsKnown, _>(conn, &[id.uuid().into()]).await?;
    Ok(known.first() == Some(&(1,)))
}

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
                insert(conn, &endpoint, start).await?;
                write_entry(conn, entry).await
            })
            .await
    }

    async fn find(&self, id: EndpointId) -> Result<Option<TrackedEndpoint>, StoreError> {
        self.connections
            .run(async move |conn| find(conn, id).await)
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
            .run(async move |conn| list(conn, &page).await)
            .await
    }

    async fn update(&self, write: &EndpointWrite, entry: Option<&Entry>) -> Result<(), StoreError> {
        let (write, entry) = (write.clone(), entry.cloned());
        self.connections
            .transaction(async move |conn| {
                update(conn, &write).await?;
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
                let is_known = replay(conn, id, to).await?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        statement::Sql,
        tests::plans::{assert_uses_index, plan},
    };

    #[tokio::test]
    async fn endpoints_are_listed_in_order() {
        for (query, index) in [
            (List::text(), "webhook_endpoints_pkey"),
            (ListOwned::text(), "webhook_endpoints_by_owner"),
        ] {
            let plan = plan(query, "").await;
            assert_uses_index(&plan, index);
            assert!(!plan.contains("Sort"), "{plan}");
        }
    }
}
