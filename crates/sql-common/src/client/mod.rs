//! The tables `clients` and `client_secrets`.

mod activity;
mod record;

use std::collections::HashMap;

use access::{Client, ClientWrite, StoredSecret};
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use kernel::{ClientId, Prefixes, StoreError, Version, audit::Entry};
use time::Duration;

pub use self::{
    activity::{activities, merged},
    record::record,
};
use crate::{
    audit, binds, each, entity,
    entity::row,
    executor::{Executor, Outcome},
    statement,
    stored::{Decode, decode, most},
    types::{Id, Moment, Read, TextList},
};

entity! {
    /// A client, without its secrets.
    ClientRow = clients of Client {
        fixed {
            id: Id = Id(|client| Some(client.id.uuid())),
            created_at: Moment = Time(|client| Some(client.created_at)),
        }
        changing {
            version: BigInt = Integer(|client| Some(client.version)),
            name: Text = Text(|client| Some(&client.name)),
            scopes: TextList = TextList(|client| Some(&client.scopes)),
            prefixes: Text = Document(|client| Some(&client.prefixes)),
            requests_per_minute: Nullable<BigInt> = Integer(|client| {
                client.requests_per_minute.map(|limit| limit.get().into())
            }),
            expect_every_seconds: Nullable<BigInt> = Integer(|client| {
                client.expect_every.map(Duration::whole_seconds)
            }),
            revoked_at: Nullable<Moment> = Time(|client| client.revoked_at),
            tokens_from: Nullable<Moment> = Time(|client| client.tokens_from),
        }
    }
}

entity! {
    SecretRow = client_secrets of (ClientId, StoredSecret) {
        fixed {
            client_id: Id = Id(|(client, _)| Some(client.uuid())),
            digest: Binary = Blob(|(_, secret)| Some(&secret.digest)),
            created_at: Moment = Time(|(_, secret)| Some(secret.created_at)),
            last_used_at: Nullable<Moment> = Time(|(_, secret)| secret.last_used_at),
        }
        changing {
            expires_at: Nullable<Moment> = Time(|(_, secret)| secret.expires_at),
        }
    }
}

decode! { row: ClientRow of clients => Client {
    id, version, name, scopes, prefixes, requests_per_minute, expect_every: expect_every_seconds,
    tokens_from, created_at, revoked_at;
    secrets: Vec::new(),
} }

decode! { row: SecretRow of client_secrets => StoredSecret {
    digest, created_at, expires_at, last_used_at,
} }

/// Selects clients, with a row for each secret. The newest secret comes first: only it has no end.
/// `created_at` does not show this, because times may come from different clocks.
fn with_secrets(condition: &str) -> String {
    format!(
        "SELECT client.*, secret.* FROM (SELECT {{clients}} FROM clients {condition}) AS client
        LEFT JOIN (SELECT {{client_secrets}} FROM client_secrets) AS secret
            ON secret.client_id = client.id
        ORDER BY client.created_at, client.id,
            secret.expires_at IS NOT NULL, secret.created_at DESC, secret.digest"
    )
}

type ClientColumns = (ClientRow, Nullable<SecretRow>);

statement! {
    Find = &with_secrets("WHERE id = :id"),
    returns ClientColumns
}

pub async fn find(conn: &mut impl Executor, id: ClientId) -> Outcome<Option<Client>> {
    let found = conn.load::<Find>(binds! { id: id.uuid() }).await?;
    Ok(of_rows(found)?.pop())
}

statement! {
    List = &with_secrets("ORDER BY created_at, id LIMIT :limit"),
    returns ClientColumns
}

pub async fn list(conn: &mut impl Executor, limit: usize) -> Outcome<Vec<Client>> {
    let found = conn.load::<List>(binds! { limit: most(limit) }).await?;
    Ok(of_rows(found)?)
}

statement! {
    Versions = "SELECT id, version FROM clients WHERE id = {each id}",
    returns (Id, BigInt)
}

pub async fn versions(
    conn: &mut impl Executor,
    ids: &[ClientId],
) -> Outcome<HashMap<ClientId, Version>> {
    let ids = each! { ids, id => id: id.uuid() };
    let rows = conn.load_each::<Versions>(&ids, &[]).await?;
    let versions = rows
        .into_iter()
        .map(|(id, version)| Ok((id.decode("clients.id")?, version)));
    versions.collect()
}

statement! {
    Fences = "SELECT id, prefixes FROM clients WHERE id = {each id}",
    returns (Id, Text)
}

pub async fn prefixes(
    conn: &mut impl Executor,
    ids: &[ClientId],
) -> Outcome<HashMap<ClientId, Prefixes>> {
    let ids = each! { ids, id => id: id.uuid() };
    let rows = conn.load_each::<Fences>(&ids, &[]).await?;
    let fences = rows.into_iter().map(|(id, prefixes)| {
        Ok((
            id.decode("clients.id")?,
            prefixes.decode("clients.prefixes")?,
        ))
    });
    fences.collect()
}

statement! {
    Insert = "INSERT INTO clients ({clients}) VALUES ({clients :})",
    over [ClientRow];

    Update = r"
        UPDATE clients SET {clients.changing = :} WHERE id = :id AND version = :expected",
    over [ClientRow];

    /// The stored time of last use stays.
    WriteSecret = r"
        INSERT INTO client_secrets ({client_secrets}) VALUES ({client_secrets :})
        ON CONFLICT (client_id, digest) DO UPDATE SET {client_secrets.changing = excluded}",
    over [SecretRow];

    Digests = "SELECT digest FROM client_secrets WHERE client_id = :client",
    returns (Binary,);

    DeleteSecret = r"
        DELETE FROM client_secrets WHERE client_id = :client AND digest = :digest"
}

async fn write_secrets(conn: &mut impl Executor, client: &Client) -> Outcome<()> {
    for secret in client.secrets.iter().cloned() {
        let secret = (client.id, secret);
        conn.execute::<WriteSecret>(&row::<SecretRow>(&secret))
            .await?;
    }
    Ok(())
}

pub async fn insert(
    conn: &mut impl Executor,
    client: &Client,
    entry: Option<&Entry>,
) -> Outcome<()> {
    conn.execute::<Insert>(&row::<ClientRow>(client)).await?;
    write_secrets(conn, client).await?;
    audit::write_entry(conn, entry).await
}

pub async fn update(
    conn: &mut impl Executor,
    write: &ClientWrite,
    entry: Option<&Entry>,
) -> Outcome<()> {
    let client = &write.client;
    let mut values = row::<ClientRow>(client);
    values.extend(binds! { expected: write.expected });
    if conn.execute::<Update>(&values).await? == 0 {
        return Err(StoreError::Conflict.into());
    }
    let of_client = client.id.uuid();
    let stored = conn.load::<Digests>(binds! { client: of_client }).await?;
    let is_kept = |digest: &[u8]| client.secrets.iter().any(|kept| kept.digest == *digest);
    for (digest,) in stored.iter().filter(|(digest,)| !is_kept(digest)) {
        let secret = binds! { client: of_client, digest: digest.as_slice() };
        conn.execute::<DeleteSecret>(secret).await?;
    }
    write_secrets(conn, client).await?;
    audit::write_entry(conn, entry).await
}

fn of_rows(rows: Vec<Read<ClientColumns>>) -> Result<Vec<Client>, StoreError> {
    let mut clients: Vec<Client> = Vec::new();
    for (row, secret) in rows {
        let id: ClientId = row.id.clone().decode("clients.id")?;
        if clients.last().is_none_or(|client| client.id != id) {
            clients.push(row.try_into()?);
        }
        if let (Some(client), Some(secret)) = (clients.last_mut(), secret) {
            client.secrets.push(secret.try_into()?);
        }
    }
    Ok(clients)
}
