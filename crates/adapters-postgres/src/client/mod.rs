//! The tables of clients, and the port to them.
//!
//! Every transaction that writes rows of a client locks the row of the client first, and one that
//! locks several clients does so by id: no two wait for each other.

mod activity;

use std::collections::HashMap;

use access::{Client, ClientWrite, Clients};
use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
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
    PostgresStore, audit,
    error::Failure,
    statement::{Value, columns, execute, load, row},
};

statement! {
    Insert = "INSERT INTO clients ({clients}) VALUES ({clients ? sent})",
    over [ClientRow]
}

statement! {
    Update =
    "UPDATE clients SET {clients.changing = sent} FROM (VALUES ({clients ?})) AS sent ({clients}) \
     WHERE clients.id = sent.id AND clients.version = ?",
    over [ClientRow]
}

statement! {
    /// Leaves it alone that a secret was used.
    WriteSecrets =
    "INSERT INTO client_secrets ({client_secrets}) SELECT * FROM unnest({client_secrets ?}) \
     ON CONFLICT (client_id, digest) DO UPDATE SET {client_secrets.changing = excluded}",
    over [SecretRow]
}

async fn write_secrets(conn: &mut AsyncPgConnection, client: &Client) -> Result<(), Failure> {
    let records = SecretRecord::of(client);
    let values: Vec<_> = columns::<SecretRow>(records.iter()).collect();
    execute::<WriteSecrets>(conn, &values).await?;
    Ok(())
}

async fn insert(conn: &mut AsyncPgConnection, client: &Client) -> Result<(), Failure> {
    let record = ClientRecord::from(client);
    execute::<Insert>(conn, &row::<ClientRow>(&record)).await?;
    write_secrets(conn, client).await
}

/// Writes a change, in a transaction of the caller's. A conflict if the version is another one.
async fn update(conn: &mut AsyncPgConnection, write: &ClientWrite) -> Result<(), Failure> {
    let (client, record) = (&write.client, ClientRecord::from(&write.client));
    let mut values = row::<ClientRow>(&record);
    values.push(write.expected.into());
    if execute::<Update>(conn, &values).await? == 0 {
        return Err(Failure::Conflict);
    }
    let kept: Vec<_> = client.secrets.iter().map(|kept| &kept.digest[..]).collect();
    diesel::delete(client_secrets::table)
        .filter(client_secrets::client_id.eq(StoredId::from(client.id.uuid())))
        .filter(client_secrets::digest.ne_all(kept))
        .execute(conn)
        .await?;
    write_secrets(conn, client).await
}

async fn write_entry(conn: &mut AsyncPgConnection, entry: Option<Entry>) -> Result<(), Failure> {
    match entry {
        Some(entry) => audit::write(conn, &[entry]).await,
        None => Ok(()),
    }
}

#[async_trait]
impl Clients for PostgresStore {
    async fn insert(&self, client: &Client, entry: Option<&Entry>) -> Result<(), StoreError> {
        let (client, entry) = (client.clone(), entry.cloned());
        self.connections
            .transaction(async move |conn| {
                insert(conn, &client).await?;
                write_entry(conn, entry).await
            })
            .await
    }

    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError> {
        let found = self
            .connections
            .run(async move |conn| Ok(clients(load::<Find, _>(conn, &[id.uuid().into()]).await?)?));
        Ok(found.await?.pop())
    }

    async fn list(&self, limit: usize) -> Result<Vec<Client>, StoreError> {
        let values = List::values(limit).map(Value::from);
        self.connections
            .run(async move |conn| Ok(clients(load::<List, _>(conn, &values).await?)?))
            .await
    }

    async fn versions(&self, ids: &[ClientId]) -> Result<HashMap<ClientId, Version>, StoreError> {
        let ids = stored_ids(ids);
        let found = self.connections.run(async move |conn| {
            let asked = clients::table.filter(clients::id.eq_any(ids));
            let rows = asked.select((clients::id, clients::version));
            Ok(versions(rows.load(conn).await?)?)
        });
        found.await
    }

    async fn update(&self, write: &ClientWrite, entry: Option<&Entry>) -> Result<(), StoreError> {
        let (write, entry) = (write.clone(), entry.cloned());
        self.connections
            .transaction(async move |conn| {
                update(conn, &write).await?;
                write_entry(conn, entry).await
            })
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
    async fn a_client_is_found_with_its_secrets_by_its_id() {
        let plan = plan(Find::text(), "").await;
        assert_uses_index(&plan, "clients_pkey");
        let secrets = "Index Cond: (client_id = $1)";
        assert!(plan.contains("client_secrets_pkey"), "{plan}");
        assert!(
            plan.contains(secrets) || plan.contains("client_id = clients.id"),
            "{plan}"
        );
    }
}
