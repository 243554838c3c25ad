//! The statements of endpoints.

use diesel_async::AsyncPgConnection;
use kernel::event::Cursor;
use sql_common::{
    event::cursor_values,
    webhook::{
        DropBehind, EndpointRecord, EndpointRow, Find, ForgetHealth, Hurry, IsFull, IsKnown, List,
        ListOwned, MoveBack, Page, TrackedRow, drop_behind_values, hurry_values, move_back_values,
        tracked,
    },
};
use webhooks::{Endpoint, EndpointId, EndpointWrite, TrackedEndpoint};

use crate::{
    error::Failure,
    statement::{Value, execute, load, row, statement},
};
statement! {
    Insert =
    "INSERT INTO webhook_endpoints ({webhook_endpoints}, commit_seq, number) \
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
pub async fn insert(
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

pub async fn find(
    conn: &mut AsyncPgConnection,
    id: EndpointId,
) -> Result<Option<TrackedEndpoint>, Failure> {
    let rows: Vec<TrackedRow> = load::<Find, _>(conn, &[id.uuid().into()]).await?;
    Ok(rows.into_iter().map(tracked).next().transpose()?)
}

pub async fn list(
    conn: &mut AsyncPgConnection,
    page: &Page,
) -> Result<Vec<TrackedEndpoint>, Failure> {
    let values: Vec<_> = page.values().into_iter().map(Value::from).collect();
    let rows: Vec<TrackedRow> = match page.owner {
        Some(_) => load::<ListOwned, _>(conn, &values).await?,
        None => load::<List, _>(conn, &values).await?,
    };
    Ok(rows.into_iter().map(tracked).collect::<Result<_, _>>()?)
}

/// Writes a change, in a transaction of the caller's. A conflict if the version is another one.
pub async fn update(conn: &mut AsyncPgConnection, write: &EndpointWrite) -> Result<(), Failure> {
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

pub async fn replay(
    conn: &mut AsyncPgConnection,
    id: EndpointId,
    to: Cursor,
) -> Result<bool, Failure> {
    let values = move_back_values(id, to).map(Value::from);
    if execute::<MoveBack>(conn, &values).await? > 0 {
        let values = drop_behind_values(id, to).map(Value::from);
        execute::<DropBehind>(conn, &values).await?;
        return Ok(true);
    }
    let known: Vec<(i64,)> = load::<IsKnown, _>(conn, &[id.uuid().into()]).await?;
    Ok(known.first() == Some(&(1,)))
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
