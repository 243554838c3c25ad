//! OAuth clients and their scopes.

use std::{fmt, str::FromStr};

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::StoreError;

/// A client's id, which is its OAuth `client_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId(Uuid);

impl ClientId {
    /// Wraps a UUID.
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The UUID.
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ClientId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// A token's scope (RFC 6749 §3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Push postings; reading them is included.
    JobPostingsWrite,
    /// Read postings.
    JobPostingsRead,
    /// Report newsletter subscribers.
    NewsletterSubscribersWrite,
    /// Manage its own webhooks.
    WebhooksManage,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 4] = [
        Self::JobPostingsWrite,
        Self::JobPostingsRead,
        Self::NewsletterSubscribersWrite,
        Self::WebhooksManage,
    ];

    /// The scope's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JobPostingsWrite => "job-postings:write",
            Self::JobPostingsRead => "job-postings:read",
            Self::NewsletterSubscribersWrite => "newsletter-subscribers:write",
            Self::WebhooksManage => "webhooks:manage",
        }
    }

    /// Parses a scope by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An integration that may ask for tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its `client_id`.
    pub id: ClientId,
    /// The name for operators.
    pub name: String,
    /// The scopes that it may request, each once.
    pub scopes: Vec<Scope>,
    /// SHA-256 of its secret. The secret has 256 random bits, so a slow hash would add nothing.
    pub secret_digest: [u8; 32],
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it was revoked.
    pub revoked_at: Option<OffsetDateTime>,
}

/// The port to the clients.
#[async_trait]
pub trait Clients: Send + Sync {
    /// Adds a client.
    async fn insert(&self, client: &Client) -> Result<(), StoreError>;

    /// Finds a client, revoked or not.
    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError>;

    /// Every client, oldest first.
    async fn list(&self) -> Result<Vec<Client>, StoreError>;

    /// Revokes a client; a repeated call keeps the first time. `false` for an unknown client.
    async fn revoke(&self, id: ClientId, now: OffsetDateTime) -> Result<bool, StoreError>;
}
