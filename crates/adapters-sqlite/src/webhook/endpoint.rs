//! The statements of endpoints.

use diesel::SqliteConnection;
use kernel::{StoreError, event::Cursor};
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
    statement::{Value, changing, execute, load, row, statement},
};
statement! {
    Insert =
    "INSERT INTO webhook_endpoints ({webhook_endpoints}, commit_seq, number) \
     VALUES ({webhook_endpoints ?}, ?, ?)",
    over [EndpointRow]
}

statement! {
    Update =
    "UPDATE webhook_endpoints SET {webhook_endpoints.changing = ?} WHERE id = ? AND version = ?",
    over [EndpointRow]
}

/// Adds an endpoint. A conflict if the owner has as many as it may have.
pub fn insert(
    conn: &mut SqliteConnection,
    endpoint: &Endpoint,
    start: Cursor,
) -> Result<(), Failure> {
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

pub fn find(
    conn: &mut SqliteConnection,
    id: EndpointId,
) -> Result<Option<TrackedEndpoint>, Failure> {
    let rows: Vec<TrackedRow> = load::<Find, _>(conn, &[id.uuid().into()])?;
    Ok(rows.into_iter().map(tracked).next().transpose()?)
}

pub fn list(conn: &mut SqliteConnection, page: &Page) -> Result<Vec<TrackedEndpoint>, Failure> {
    let values = page.values();
    let rows: Vec<TrackedRow> = match page.owner {
        Some(_) => load::<ListOwned, _>(conn, &values)?,
        None => load::<List, _>(conn, &values)?,
    };
    Ok(rows.into_iter().map(tracked).collect::<Result<_, _>>()?)
}

/// Writes a change. A conflict if the version is another one.
pub fn update(conn: &mut SqliteConnection, write: &EndpointWrite) -> Result<(), Failure> {
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

pub fn replay(conn: &mut SqliteConnection, id: EndpointId, to: Cursor) -> Result<bool, Failure> {
    if execute::<MoveBack>(conn, &move_back_values(id, to))? > 0 {
        execute::<DropBehind>(conn, &drop_behind_values(id, to))?;
        return Ok(true);
    }
    let known: Vec<(i64,)> = load::<IsKnown, _>(conn, &[id.uuid().into()])?;
    Ok(known.first() == Some(&(1,)))
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
