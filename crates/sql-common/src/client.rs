//! The table `clients`.

use diesel::sql_types::{Binary, Nullable, Text};
use domain::{
    client::{Client, ClientId},
    store::StoreError,
};

use crate::{
    entity,
    stored::digest,
    types::{Id, Moment, TextList, optional_time},
};

entity! {
    /// A client.
    ClientRow = clients (id) of Client {
        fixed {
            id: Id = Id(|client| Some(client.id.uuid())),
            name: Text = Text(|client| Some(&client.name)),
            scopes: TextList = TextList(|client| &client.scopes),
            secret_digest: Binary = Blob(|client| Some(&client.secret_digest)),
            created_at: Moment = Time(|client| Some(client.created_at)),
        }
        changing {
            revoked_at: Nullable<Moment> = Time(|client| client.revoked_at),
        }
        apart {}
    }
}

impl TryFrom<ClientRow> for Client {
    type Error = StoreError;

    fn try_from(row: ClientRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: ClientId::new(row.id.uuid("clients.id")?),
            name: row.name,
            scopes: row.scopes.parse("clients.scopes")?,
            secret_digest: digest(&row.secret_digest, "clients.secret_digest")?,
            created_at: row.created_at.time("clients.created_at")?,
            revoked_at: optional_time(row.revoked_at, "clients.revoked_at")?,
        })
    }
}
