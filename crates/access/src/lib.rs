//! The users of the service: OAuth clients with scopes, prefixes, limits, secrets and activity, and
//! operators, who [sign in](sign_in).

#![warn(missing_docs)]

pub mod activity;
pub mod audit;
mod gate;
mod manage;
mod named;
mod secret;
mod settings;
pub mod sign_in;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

use std::{collections::HashMap, num::NonZeroU32};

use async_trait::async_trait;
use fields::{Patch, unique, vocabulary};
use kernel::{ClientId, Prefixes, StoreError, Version, audit::Entry};
use time::{Duration, OffsetDateTime};

pub use self::{
    activity::{Activity, ActivityLog, ActivityRecorder},
    gate::{Crowded, Gate, Share},
    manage::{ClientError, ManagedClients, Rotation},
    named::{ClientRef, ClientRefError},
    secret::{MOST_SECRETS, StoredSecret},
    settings::{LONGEST_OVERLAP, client_name, interval, interval_text, requests_per_minute},
};

vocabulary! {
    /// A token's scope (RFC 6749 §3.3).
    Scope {
        /// Push postings, and read them.
        JobPostingsWrite = "job-postings:write",
        JobPostingsRead = "job-postings:read",
        NewsletterSubscribersWrite = "newsletter-subscribers:write",
        WebhooksManage = "webhooks:manage",
        /// Send reports of readers.
        ReportsWrite = "reports:write",
    }
}

impl Scope {
    /// The scopes for reading postings.
    pub const READERS: &[Self] = &[Self::JobPostingsRead, Self::JobPostingsWrite];
    /// The scopes for pushing postings.
    pub const WRITERS: &[Self] = &[Self::JobPostingsWrite];
    /// The scopes for managing webhooks.
    pub const MANAGERS: &[Self] = &[Self::WebhooksManage];
    /// The scopes for sending reports of readers, and reading how they were decided.
    pub const REPORTERS: &[Self] = &[Self::ReportsWrite];
}

/// An integration that may ask for tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its `client_id`.
    pub id: ClientId,
    /// The number of its commits, except commits of activity.
    pub version: Version,
    /// The name for operators.
    pub name: String,
    /// The scopes that it may request. A token's scope counts only while the client has it.
    pub scopes: Vec<Scope>,
    /// The identifiers that it may use.
    pub prefixes: Prefixes,
    /// The largest number of requests in a minute, per process.
    pub requests_per_minute: Option<NonZeroU32>,
    /// The longest expected time between two pushes, set by an operator.
    pub expect_every: Option<Duration>,
    /// Its secrets, the newest first, at most [`MOST_SECRETS`].
    pub secrets: Vec<StoredSecret>,
    /// Tokens that were issued before this whole second are refused.
    pub tokens_from: Option<OffsetDateTime>,
    /// When it was created.
    pub created_at: OffsetDateTime,
    /// When it was revoked.
    pub revoked_at: Option<OffsetDateTime>,
}

/// The settings of a new client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewClient {
    /// The name.
    pub name: String,
    /// The scopes; repeated ones count once.
    pub scopes: Vec<Scope>,
    /// The prefixes.
    pub prefixes: Prefixes,
    /// The limit of requests in a minute.
    pub requests_per_minute: Option<NonZeroU32>,
    /// How often it is expected to push.
    pub expect_every: Option<Duration>,
}

/// A change of a client's settings. A setting that is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientChange {
    /// The name.
    pub name: Option<String>,
    /// The new scopes.
    pub scopes: Option<Vec<Scope>>,
    /// The new prefixes.
    pub prefixes: Option<Prefixes>,
    /// The limit of requests in a minute.
    pub requests_per_minute: Patch<NonZeroU32>,
    /// The longest expected time between two pushes.
    pub expect_every: Patch<Duration>,
}

/// A change of a client to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientWrite {
    /// The version that the client must have in the store.
    pub expected: Version,
    /// The client after the change, with its next version. A secret that is missing from it becomes
    /// invalid immediately.
    pub client: Client,
}

impl Client {
    /// A client with one secret, by its digest.
    pub fn new(id: ClientId, new: NewClient, digest: [u8; 32], now: OffsetDateTime) -> Self {
        Self {
            id,
            version: 1,
            name: new.name,
            scopes: unique(new.scopes),
            prefixes: new.prefixes,
            requests_per_minute: new.requests_per_minute,
            expect_every: new.expect_every,
            secrets: vec![StoredSecret::new(digest, now)],
            tokens_from: None,
            created_at: now,
            revoked_at: None,
        }
    }

    /// Whether it may still use the service: it is not revoked.
    pub const fn is_active(&self) -> bool {
        self.revoked_at.is_none()
    }

    /// Whether it has one of these scopes.
    pub fn may(&self, scopes: &[Scope]) -> bool {
        scopes.iter().any(|scope| self.scopes.contains(scope))
    }

    /// Keeps only the client's scopes that one of its tokens or sessions also has.
    #[must_use]
    pub fn narrowed(mut self, scopes: &[Scope]) -> Self {
        self.scopes.retain(|scope| scopes.contains(scope));
        self
    }

    fn scope_names(&self) -> Vec<&'static str> {
        self.scopes.iter().copied().map(Scope::as_str).collect()
    }

    /// The secrets that are valid at this time.
    pub fn live_secrets(&self, now: OffsetDateTime) -> impl Iterator<Item = &StoredSecret> {
        let secrets = self.secrets.iter().filter(move |_| self.is_active());
        secrets.filter(move |secret| secret.is_live(now))
    }

    /// The issue time for a token, in seconds since 1970. It may be ahead of the clock by a second
    /// after [tokens were ended](ClientWrite::ending_tokens), or by the difference between clocks.
    pub fn time_of_issue(&self, now: OffsetDateTime) -> i64 {
        let from = self.tokens_from.map(OffsetDateTime::unix_timestamp);
        now.unix_timestamp().max(from.unwrap_or(i64::MIN))
    }

    /// Whether a token with this issue time is still accepted.
    pub fn accepts_issue(&self, time: i64) -> bool {
        self.tokens_from
            .is_none_or(|from| from.unix_timestamp() <= time)
    }

    /// Applies a change; `None` if nothing changes.
    pub fn apply(&self, change: &ClientChange) -> Option<ClientWrite> {
        let write = self.changed(|client| {
            let change = change.clone();
            client.name = change.name.unwrap_or_else(|| client.name.clone());
            client.scopes = change.scopes.map_or_else(|| client.scopes.clone(), unique);
            client.prefixes = change.prefixes.unwrap_or_else(|| client.prefixes.clone());
            change
                .requests_per_minute
                .apply(&mut client.requests_per_minute);
            change.expect_every.apply(&mut client.expect_every);
        });
        let unchanged = Self {
            version: self.version,
            ..write.client.clone()
        };
        (unchanged != *self).then_some(write)
    }

    /// Adds a secret by its digest. The present secret ends after at most `overlap`, and older ones
    /// end immediately.
    pub fn rotate(&self, digest: [u8; 32], overlap: Duration, now: OffsetDateTime) -> ClientWrite {
        self.changed(|client| {
            let newest = client.secrets.first().cloned();
            let kept = newest.map(|secret| secret.ending(now.saturating_add(overlap)));
            let kept = kept.filter(|secret| secret.is_live(now));
            client.secrets = vec![StoredSecret::new(digest, now)];
            client.secrets.extend(kept);
        })
    }

    /// Revokes the client; `None` if it is already revoked.
    pub fn revoke(&self, now: OffsetDateTime) -> Option<ClientWrite> {
        self.is_active()
            .then(|| self.changed(|client| client.revoked_at = Some(now)))
    }

    fn changed(&self, change: impl FnOnce(&mut Self)) -> ClientWrite {
        let mut client = self.clone();
        change(&mut client);
        client.version += 1;
        ClientWrite {
            expected: self.version,
            client,
        }
    }
}

impl ClientWrite {
    /// Also ends all tokens that were issued before.
    ///
    /// Issue times are whole seconds. Tokens of the present second are refused; new tokens get the
    /// next second.
    #[must_use]
    pub fn ending_tokens(mut self, now: OffsetDateTime) -> Self {
        let second = self.client.time_of_issue(now).saturating_add(1);
        self.client.tokens_from = OffsetDateTime::from_unix_timestamp(second).ok();
        self
    }
}

/// The port to the clients. Audit entries are written in the same commit.
#[async_trait]
pub trait Clients: Send + Sync {
    /// Adds a client.
    async fn insert(&self, client: &Client, entry: Option<&Entry>) -> Result<(), StoreError>;

    /// Finds a client, revoked or not.
    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError>;

    /// Up to `limit` clients, oldest first.
    async fn list(&self, limit: usize) -> Result<Vec<Client>, StoreError>;

    /// The versions of the existing clients among these.
    async fn versions(&self, ids: &[ClientId]) -> Result<HashMap<ClientId, Version>, StoreError>;

    /// Writes a change of a client, and deletes secrets that it no longer has. Keeps the stored
    /// times of last use. [`StoreError::Conflict`] if the stored version differs.
    async fn update(&self, write: &ClientWrite, entry: Option<&Entry>) -> Result<(), StoreError>;
}

#[cfg(test)]
mod tests;
