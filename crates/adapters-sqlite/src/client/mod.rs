//! The tables of clients, and the port to them.

mod activity;

use std::collections::HashMap;

use access::{Client, ClientWrite, Clients};
use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, RunQueryDsl, SqliteConnection};
use kernel::{ClientId, StoreError, Version, audit::Entry};
use sql_common::{
    client::{
        ClientRecord, ClientRow, Find, List, SecretRecord, SecretRow, client_secrets, clients,
        stored_ids, versions,
    },
    statement,
    types::StoredId,
};

use crate::{
    SqliteStore, audit,
    error::Failure,
    statement::{changing, execute, load, row},
};

statement! {
    Insert = "INSERT INTO clients ({clients}) VALUES ({clients ?})",
    over [ClientRow]
}

statement! {
    Update = "UPDATE clients SET {clients.changing = ?} WHERE id = ? AND version = ?",
    over [ClientRow]
}

statement! {
    /// Leaves it alone that the secret was used.
    WriteSecret =
    "INSERT INTO client_secrets ({client_secrets}) VALUES ({client_secrets ?}) \
     ON CONFLICT (client_id, digest) DO UPDATE SET {client_secrets.changing = excluded}",
    over [SecretRow]
}

fn write_secrets(conn: &mut SqliteConnection, client: &Client) -> Result<(), Failure> {
    for record in SecretRecord::of(client) {
        execute::<WriteSecret>(conn, &row::<SecretRow>(&record))?;
    }
    Ok(())
}

fn insert(conn: &mut SqliteConnection, client: &Client) -> Result<(), Failure> {
    let record = ClientRecord::from(client);
    execute::<Insert>(conn, &row::<ClientRow>(&record))?;
    write_secrets(conn, client)
}

/// Writes a change. A conflict if the version is another one.
fn update(conn: &mut SqliteConnection, write: &ClientWrite) -> Result<(), Failure> {
    let (client, record) = (&write.client, ClientRecord::from(&write.client));
    let mut values = changing::<ClientRow>(&record);
    values.push(client.id.uuid().into());
    values.push(write.expected.into());
    if execute::<Update>(conn, &values)? == 0 {
        return Err(StoreError::Conflict.into());
    }
    let kept = client.secrets.iter().map(|kept| &kept.digest[..]);
    diesel::delete(client_secrets::table)
        .filter(client_secrets::client_id.eq(StoredId::from(client.id.uuid())))
        .filter(client_secrets::digest.ne_all(kept))
        .execute(conn)?;
    write_secrets(conn, client)
}

fn write_entry(conn: &mut SqliteConnection, entry: Option<&Entry>) -> Result<(), Failure> {
    entry.map_or(Ok(()), |entry| audit::write(conn, entry))
}

#[async_trait]
impl Clients for SqliteStore {
    async fn insert(&self, client: &Client, entry: Option<&Entry>) -> Result<(), StoreError> {
        let (client, entry) = (client.clone(), entry.cloned());
        self.connections
            .write(move |conn| {
                insert(conn, &client)?;
                write_entry(conn, entry.as_ref())
            })
            .await
    }

    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError> {
        let found = self
            .connections
            .read(move |conn| Ok(clients(load::<Find, _>(conn, &[id.uuid().into()])?)?));
        Ok(found.await?.pop())
    }

    async fn list(&self, limit: usize) -> Result<Vec<Client>, StoreError> {
        self.connections
            .read(move |conn| Ok(clients(load::<List, _>(conn, &List::values(limit))?)?))
            .await
    }

    async fn versions(&self, ids: &[ClientId]) -> Result<HashMap<ClientId, Version>, StoreError> {
        let ids = stored_ids(ids);
        let found = self.connections.read(move |conn| {
            let asked = clients::table.filter(clients::id.eq_any(ids));
            let rows = asked.select((clients::id, clients::version));
            Ok(versions(rows.load(conn)?)?)
        });
        found.await
    }

    async fn update(&self, write: &ClientWrite, entry: Option<&Entry>) -> Result<(), StoreError> {
        let (write, entry) = (write.clone(), entry.cloned());
        self.connections
            .write(move |conn| {
                update(conn, &write)?;
                write_entry(conn, entry.as_ref())
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statement::Sql, tests::plan};

    #[tokio::test]
    async fn a_client_is_found_with_its_secrets_by_its_id() {
        let plan = plan(Find::text()).await;
        let by = |key: &str| {
            plan.lines()
                .any(|step| step.starts_with("SEARCH") && step.contains(key))
        };
        assert!(by("(id=?)") && by("(client_id=?)"), "{plan}");
        assert!(!plan.contains("SCAN"), "{plan}");
    }
}
