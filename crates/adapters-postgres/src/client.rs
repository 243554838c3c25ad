//! The `Clients` port, on the table `clients`.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper};
use diesel_async::RunQueryDsl;
use domain::{
    client::{Client, ClientId, Clients},
    store::StoreError,
};
use sql_common::{
    client::{ClientRow, clients},
    statement,
    types::StoredId,
};
use time::OffsetDateTime;

use crate::{
    PostgresStore,
    statement::{execute, row},
};

statement! {
    Insert = "INSERT INTO clients ({clients}) VALUES ({clients ? sent})",
    over [ClientRow]
}

statement! {
    /// Counts a client that was revoked before, but keeps its first revocation time.
    Revoke = "UPDATE clients SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?"
}

#[async_trait]
impl Clients for PostgresStore {
    async fn insert(&self, client: &Client) -> Result<(), StoreError> {
        let client = client.clone();
        self.connections
            .run(async move |conn| {
                execute::<Insert>(conn, &row::<ClientRow>(&client)).await?;
                Ok(())
            })
            .await
    }

    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError> {
        self.connections
            .run(async move |conn| {
                let row = clients::table
                    .find(StoredId::from(id.uuid()))
                    .select(ClientRow::as_select())
                    .first(conn)
                    .await
                    .optional()?;
                Ok(row.map(Client::try_from).transpose()?)
            })
            .await
    }

    async fn list(&self) -> Result<Vec<Client>, StoreError> {
        self.connections
            .run(async |conn| {
                let rows: Vec<ClientRow> = clients::table
                    .order((clients::created_at.asc(), clients::id.asc()))
                    .select(ClientRow::as_select())
                    .load(conn)
                    .await?;
                Ok(rows
                    .into_iter()
                    .map(Client::try_from)
                    .collect::<Result<_, _>>()?)
            })
            .await
    }

    async fn revoke(&self, id: ClientId, now: OffsetDateTime) -> Result<bool, StoreError> {
        self.connections
            .run(async move |conn| {
                let values = [now.into(), id.uuid().into()];
                Ok(execute::<Revoke>(conn, &values).await? > 0)
            })
            .await
    }
}
