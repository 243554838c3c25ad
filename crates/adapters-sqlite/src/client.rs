//! The table `clients`, and the port to it.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, Insertable, OptionalExtension, QueryDsl, Queryable, RunQueryDsl, Selectable,
    SelectableHelper, sqlite::Sqlite,
};
use domain::{
    client::{Client, ClientId, Clients},
    store::{
        StoreError,
        stored::{digest, words},
    },
};
use time::OffsetDateTime;

use crate::{
    SqliteStore,
    schema::clients,
    value::{join, micros, optional_time, split, time, uuid},
};

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = clients, check_for_backend(Sqlite))]
struct ClientRow {
    id: Vec<u8>,
    name: String,
    scopes: String,
    secret_digest: Vec<u8>,
    created_at: i64,
    revoked_at: Option<i64>,
}

impl From<&Client> for ClientRow {
    fn from(client: &Client) -> Self {
        Self {
            id: client.id.uuid().as_bytes().to_vec(),
            name: client.name.clone(),
            scopes: join(client.scopes.iter().map(|scope| scope.as_str()), ' '),
            secret_digest: client.secret_digest.to_vec(),
            created_at: micros(client.created_at),
            revoked_at: client.revoked_at.map(micros),
        }
    }
}

impl TryFrom<ClientRow> for Client {
    type Error = StoreError;

    fn try_from(row: ClientRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: ClientId::new(uuid(&row.id, "clients.id")?),
            name: row.name,
            scopes: words(split(&row.scopes, ' '), "clients.scopes")?,
            secret_digest: digest(&row.secret_digest, "clients.secret_digest")?,
            created_at: time(row.created_at, "clients.created_at")?,
            revoked_at: optional_time(row.revoked_at, "clients.revoked_at")?,
        })
    }
}

#[async_trait]
impl Clients for SqliteStore {
    async fn insert(&self, client: &Client) -> Result<(), StoreError> {
        let row = ClientRow::from(client);
        self.connections
            .write(move |conn| {
                diesel::insert_into(clients::table)
                    .values(row)
                    .execute(conn)?;
                Ok(())
            })
            .await
    }

    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError> {
        self.connections
            .read(move |conn| {
                let row = clients::table
                    .find(id.uuid().as_bytes().as_slice())
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
                let id = id.uuid();
                let client = clients::table.find(id.as_bytes().as_slice());
                diesel::update(client)
                    .filter(clients::revoked_at.is_null())
                    .set(clients::revoked_at.eq(micros(now)))
                    .execute(conn)?;
                Ok(client.count().get_result::<i64>(conn)? > 0)
            })
            .await
    }
}
