use async_trait::async_trait;
use kernel::ClientId;

use crate::subscriber::{Email, MigrationToken, PutSubscriber, ReceivedEvent, Subscriber};

/// The outcome of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The subscriber afterwards.
    pub subscriber: Subscriber,
    /// Whether it is the first report of the subscriber.
    pub is_new: bool,
}

/// The reason why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NewsletterError {
    /// The store is unavailable. Whether it has written is unknown; repeating the command is safe.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// Moves by link are not configured. Nothing was written.
    #[error("moves by the link are not set up")]
    NotSetUp,
    /// The store returned invalid data.
    #[error("the store failed: {0}")]
    Broken(String),
}

/// The driving port of the newsletter: takes commands and answers after the commit.
#[async_trait]
pub trait Newsletter: Send + Sync {
    /// Applies a report of the membership system.
    async fn put(&self, put: PutSubscriber) -> Result<Reported, NewsletterError>;

    /// Returns a reported subscriber.
    async fn find(&self, email: &Email) -> Result<Option<Subscriber>, NewsletterError>;

    /// Erases a subscriber for a client. Returns `false` for hidden and unknown addresses, to
    /// reveal nothing.
    async fn erase(&self, email: &Email, by: ClientId) -> Result<bool, NewsletterError>;

    /// Applies events of the provider, repeated or out of order.
    async fn notice(&self, notices: Vec<ReceivedEvent>) -> Result<(), NewsletterError>;

    /// Returns the holder of a token.
    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError>;

    /// Starts the confirmed move of a token's holder. `None` for an unknown token.
    async fn confirm_migration(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError>;

    /// Unsubscribes a token's holder. `None` for an unknown token.
    async fn unsubscribe(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError>;
}
