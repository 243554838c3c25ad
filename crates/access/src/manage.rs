use kernel::{
    ClientId, StoreError,
    audit::{Action, Attribution, Entry},
    decide_again,
};
use time::{Duration, OffsetDateTime};

use crate::{Client, ClientChange, ClientWrite, Clients, NewClient, audit, interval_text};

/// Why a command about a client was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// There is no such client.
    #[error("there is no client {0}")]
    NotFound(ClientId),
    /// The client is revoked, which is permanent.
    #[error("the client {0} is revoked")]
    Revoked(ClientId),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

kernel::store_failure!(ClientError);

/// A new secret for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The digest of the secret.
    pub digest: [u8; 32],
    /// How long the present secret stays valid.
    pub overlap: Duration,
    /// Whether the tokens that were issued so far end.
    pub ends_tokens: bool,
}

/// The commands about clients, each of which is audited.
#[derive(Clone, Copy)]
pub struct ManagedClients<'a> {
    /// The clients.
    pub clients: &'a dyn Clients,
    /// The operator.
    pub by: &'a Attribution,
}

impl ManagedClients<'_> {
    /// Adds a client with one secret, by its digest.
    pub async fn create(
        &self,
        id: ClientId,
        new: NewClient,
        digest: [u8; 32],
        now: OffsetDateTime,
    ) -> Result<Client, StoreError> {
        let client = Client::new(id, new, digest, now);
        let entry = self.entry(audit::CLIENTS_CREATE, id, now);
        self.clients
            .insert(&client, Some(&describe(entry, &client)))
            .await?;
        Ok(client)
    }

    /// Changes the settings of a client, and returns the client.
    pub async fn update(
        &self,
        id: ClientId,
        change: &ClientChange,
        now: OffsetDateTime,
    ) -> Result<Client, ClientError> {
        self.write(id, audit::CLIENTS_UPDATE, now, |client| {
            client.apply(change)
        })
        .await
    }

    /// Adds a secret; see [`Client::rotate`].
    pub async fn rotate(
        &self,
        id: ClientId,
        rotation: Rotation,
        now: OffsetDateTime,
    ) -> Result<Client, ClientError> {
        let decide = |client: &Client| {
            let write = client.rotate(rotation.digest, rotation.overlap, now);
            Some(if rotation.ends_tokens {
                write.ending_tokens(now)
            } else {
                write
            })
        };
        self.write(id, audit::CLIENTS_ROTATE, now, decide).await
    }

    /// Revokes a client. A second revocation changes nothing.
    pub async fn revoke(&self, id: ClientId, now: OffsetDateTime) -> Result<Client, ClientError> {
        let revoked = self
            .write(id, audit::CLIENTS_REVOKE, now, |client| client.revoke(now))
            .await;
        match revoked {
            Err(ClientError::Revoked(id)) => self.find(id).await,
            other => other,
        }
    }

    /// Finds a client.
    pub async fn find(&self, id: ClientId) -> Result<Client, ClientError> {
        let found = self.clients.find(id).await?;
        found.ok_or(ClientError::NotFound(id))
    }

    async fn write(
        &self,
        id: ClientId,
        action: Action,
        now: OffsetDateTime,
        decide: impl Fn(&Client) -> Option<ClientWrite> + Send + Sync,
    ) -> Result<Client, ClientError> {
        let attempt = || async {
            let before = self.find(id).await?;
            if !before.is_active() {
                return Err(ClientError::Revoked(id));
            }
            let Some(write) = decide(&before) else {
                return Ok(before);
            };
            let entry = self.entry(action.clone(), id, now);
            let entry = if action == audit::CLIENTS_UPDATE {
                describe(entry, &write.client)
            } else if write.client.tokens_from != before.tokens_from {
                entry.with("end_tokens", true)
            } else {
                entry
            };
            self.clients.update(&write, Some(&entry)).await?;
            Ok(write.client)
        };
        decide_again(attempt).await
    }

    fn entry(&self, action: Action, id: ClientId, now: OffsetDateTime) -> Entry {
        self.by.entry(action, now).about(id)
    }
}

fn describe(entry: Entry, client: &Client) -> Entry {
    let entry = entry
        .with("name", &*client.name)
        .with("scopes", client.scope_names())
        .with("prefixes", client.prefixes.as_slice());
    let limit = client.requests_per_minute.map(std::num::NonZeroU32::get);
    let entry = entry.with("requests_per_minute", limit);
    entry.with("expect_every", client.expect_every.map(interval_text))
}
