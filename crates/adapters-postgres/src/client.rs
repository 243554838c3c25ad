//! The table `clients`, and the port to it.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, Insertable, OptionalExtension, QueryDsl, Queryable, Selectable,
    SelectableHelper,
    pg::{Pg, data_types::PgTimestamp},
};
use diesel_async::RunQueryDsl;
use domain::{
    client::{Client, ClientId, Clients},
    store::{
        StoreError,
        stored::{digest, words},
    },
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    PostgresStore,
    schema::clients,
    statement::{self, Value, statement},
    value::{optional_time, time, timestamp},
};

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = clients, check_for_backend(Pg))]
struct ClientRow {
    id: Uuid,
    name: String,
    scopes: Vec<String>,
    secret_digest: Vec<u8>,
    created_at: PgTimestamp,
    revoked_at: Option<PgTimestamp>,
}

impl From<&Client> for ClientRow {
    fn from(client: &Client) -> Self {
        Self {
            id: client.id.uuid(),
            name: client.name.clone(),
            scopes: client.scopes.iter().map(ToString::to_string).collect(),
            secret_digest: client.secret_digest.to_vec(),
            created_at: timestamp(client.created_at),
            revoked_at: client.revoked_at.map(timestamp),
        }
    }
}

impl TryFrom<ClientRow> for Client {
    type Error = StoreError;

    fn try_from(row: ClientRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: ClientId::new(row.id),
            name: row.name,
            scopes: words(row.scopes, "clients.scopes")?,
            secret_digest: digest(&row.secret_digest, "clients.secret_digest")?,
            created_at: time(row.created_at, "clients.created_at")?,
            revoked_at: optional_time(row.revoked_at, "clients.revoked_at")?,
        })
    }
}

statement! {
    /// Counts a client that is revoked already, and leaves it as it is.
    Revoke = "UPDATE clients SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?"
}

#[async_trait]
impl Clients for PostgresStore {
    async fn insert(&self, client: &Client) -> Result<(), StoreError> {
        let row = ClientRow::from(client);
        self.connections
            .run(async move |conn| {
                diesel::insert_into(clients::table)
                    .values(row)
                    .execute(conn)
                    .await?;
                Ok(())
            })
            .await
    }

    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError> {
        self.connections
            .run(async move |conn| {
                let row = clients::table
                    .find(id.uuid())
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
                let values = [Value::Time(timestamp(now)), Value::Uuid(id.uuid())];
                Ok(statement::execute::<Revoke>(conn, &values).await? > 0)
            })
            .await
    }
}
