//! The `Clients` port, on the table `clients`.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, RunQueryDsl, SelectableHelper};
use domain::{
    client::{Client, ClientId, Clients},
    store::StoreError,
};
use sql_common::{
    client::{ClientRow, clients},
    statement,
    types::{StoredId, StoredTime},
};
use time::OffsetDateTime;

use crate::{
    SqliteStore,
    statement::{execute, row},
};

statement! {
    Insert = "INSERT INTO clients ({clients}) VALUES ({clients ?})",
    over [ClientRow]
}

#[async_trait]
impl Clients for SqliteStore {
    async fn insert(&self, client: &Client) -> Result<(), StoreError> {
        let client = client.clone();
        self.connections
            .write(move |conn| {
                execute::<Insert>(conn, &row::<ClientRow>(&client))?;
                Ok(())
            })
            .await
    }

    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError> {
        self.connections
            .read(move |conn| {
                let row = clients::table
                    .find(StoredId::from(id.uuid()))
                    .select(ClientRow::as_select())
                    .first(conn)
                    .optional()?;
                Ok(row.map(Client::try_from).transpose()?)
            })
            .await
    }

    async fn list(&self) -> Result<Vec<Client>, StoreError> {
        self.connections
            .read(|conn| {
                let rows = clients::table
                    .order((clients::created_at, clients::id))
                    .select(ClientRow::as_select())
                    .load(conn)?;
                Ok(rows
                    .into_iter()
                    .map(Client::try_from)
                    .collect::<Result<_, _>>()?)
            })
            .await
    }

    async fn revoke(&self, id: ClientId, now: OffsetDateTime) -> Result<bool, StoreError> {
        self.connections
            .write(move |conn| {
                let id = StoredId::from(id.uuid());
                let client = clients::table.find(id);
                diesel::update(client.clone())
                    .filter(clients::revoked_at.is_null())
                    .set(clients::revoked_at.eq(StoredTime::from(now)))
                    .execute(conn)?;
                Ok(client.count().get_result::<i64>(conn)? > 0)
            })
            .await
    }
}
