//! The tables of clients: `clients`, `client_secrets`, and those of their activity.

mod activity;

use std::collections::HashMap;

use access::{Client, StoredSecret};
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use kernel::{ClientId, StoreError, Version};

pub use self::activity::{
    ActivityRows, DayRow, LastPushRow, LastUse, Push, RefusalRow, activities, client_days,
    client_refusals,
};
use crate::{
    entity,
    entity::Entity,
    statement,
    stored::{array_text, corrupt, digest, prefixes},
    types::{Id, Moment, StoredId, TextList, optional_time},
    value::Value,
};

/// A client as it is written, with the text that one of its columns holds.
#[derive(Clone, Debug)]
pub struct ClientRecord {
    client: Client,
    prefixes: String,
}

impl From<&Client> for ClientRecord {
    fn from(client: &Client) -> Self {
        Self {
            prefixes: array_text(client.prefixes.as_slice()),
            client: client.clone(),
        }
    }
}

entity! {
    /// A client, without its secrets.
    ClientRow = clients (id) of ClientRecord {
        fixed {
            id: Id = Id(|record| Some(record.client.id.uuid())),
            created_at: Moment = Time(|record| Some(record.client.created_at)),
        }
        changing {
            version: BigInt = Integer(|record| Some(record.client.version)),
            name: Text = Text(|record| Some(&record.client.name)),
            scopes: TextList = TextList(|record| &record.client.scopes),
            prefixes: Text = Json(|record| Some(&record.prefixes)),
            requests_per_minute: Nullable<BigInt> = Integer(|record| {
                record.client.requests_per_minute.map(|limit| limit.get().into())
            }),
            revoked_at: Nullable<Moment> = Time(|record| record.client.revoked_at),
            tokens_from: Nullable<Moment> = Time(|record| record.client.tokens_from),
        }
        apart {}
    }
}

/// A secret of a client.
#[derive(Clone, Debug)]
pub struct SecretRecord {
    client: ClientId,
    secret: StoredSecret,
}

impl SecretRecord {
    /// The secrets of a client.
    pub fn of(client: &Client) -> Vec<Self> {
        let secrets = client.secrets.iter().cloned();
        let id = client.id;
        secrets.map(|secret| Self { client: id, secret }).collect()
    }
}

entity! {
    /// A secret of a client. That it was used is written by a statement of its own.
    SecretRow = client_secrets (digest) of SecretRecord {
        fixed {
            client_id: Id = Id(|record| Some(record.client.uuid())),
            digest: Binary = Blob(|record| Some(&record.secret.digest)),
            created_at: Moment = Time(|record| Some(record.secret.created_at)),
            last_used_at: Nullable<Moment> = Time(|record| record.secret.last_used_at),
        }
        changing {
            expires_at: Nullable<Moment> = Time(|record| record.secret.expires_at),
        }
        apart {}
    }
}

impl TryFrom<SecretRow> for StoredSecret {
    type Error = StoreError;

    fn try_from(row: SecretRow) -> Result<Self, StoreError> {
        Ok(Self {
            digest: digest(&row.digest, "client_secrets.digest")?,
            created_at: row.created_at.time("client_secrets.created_at")?,
            expires_at: optional_time(row.expires_at, "client_secrets.expires_at")?,
            last_used_at: optional_time(row.last_used_at, "client_secrets.last_used_at")?,
        })
    }
}

/// Clients, each once for each of its secrets. The newest of these is the one without an end: times
/// may have been told by different clocks.
macro_rules! clients {
    ($condition:expr) => {
        concat!(
            "SELECT client.*, secret.* FROM (SELECT {clients} FROM clients ",
            $condition,
            ") AS client LEFT JOIN (SELECT {client_secrets} FROM client_secrets) AS secret \
             ON secret.client_id = client.id \
             ORDER BY client.created_at, client.id, \
             secret.expires_at IS NOT NULL, secret.created_at DESC, secret.digest"
        )
    };
}

/// The SQL types of a [`ClientWithSecret`].
pub type ClientColumns = (
    <ClientRow as Entity>::Row,
    Nullable<<SecretRow as Entity>::Row>,
);

/// A client, and one of its secrets.
pub type ClientWithSecret = (ClientRow, Option<SecretRow>);

statement! {
    pub Find = clients!("WHERE id = ?"),
    over [ClientRow, SecretRow],
    returns ClientColumns
}

statement! {
    pub List = clients!("ORDER BY created_at, id LIMIT ?"),
    over [ClientRow, SecretRow],
    returns ClientColumns
}

impl List {
    /// The value for a largest number of clients.
    pub fn values(limit: usize) -> [Value<'static>; 1] {
        [i64::try_from(limit).unwrap_or(i64::MAX).into()]
    }
}

/// The clients of rows that were found.
pub fn clients(rows: Vec<ClientWithSecret>) -> Result<Vec<Client>, StoreError> {
    let mut clients: Vec<Client> = Vec::new();
    for (row, secret) in rows {
        let id = ClientId::new(row.id.clone().uuid("clients.id")?);
        if clients.last().is_none_or(|client| client.id != id) {
            clients.push(client(row, id)?);
        }
        if let (Some(client), Some(secret)) = (clients.last_mut(), secret) {
            client.secrets.push(secret.try_into()?);
        }
    }
    Ok(clients)
}

/// The ids of clients as they are stored.
pub fn stored_ids(ids: &[ClientId]) -> Vec<StoredId> {
    ids.iter().map(|id| StoredId::from(id.uuid())).collect()
}

/// The versions of clients that were found.
pub fn versions(rows: Vec<(StoredId, Version)>) -> Result<HashMap<ClientId, Version>, StoreError> {
    let versions = rows
        .into_iter()
        .map(|(id, version)| Ok((ClientId::new(id.uuid("clients.id")?), version)));
    versions.collect()
}

fn client(row: ClientRow, id: ClientId) -> Result<Client, StoreError> {
    let limit = |stored: i64| {
        let limit = u32::try_from(stored)
            .ok()
            .and_then(|limit| limit.try_into().ok());
        limit.ok_or_else(|| corrupt("clients.requests_per_minute", stored))
    };
    Ok(Client {
        id,
        version: row.version,
        name: row.name,
        scopes: row.scopes.parse("clients.scopes")?,
        prefixes: prefixes(&row.prefixes, "clients.prefixes")?,
        requests_per_minute: row.requests_per_minute.map(limit).transpose()?,
        secrets: Vec::new(),
        tokens_from: optional_time(row.tokens_from, "clients.tokens_from")?,
        created_at: row.created_at.time("clients.created_at")?,
        revoked_at: optional_time(row.revoked_at, "clients.revoked_at")?,
    })
}
