//! Newsletter subscribers: reports, the provider's events, moves to the new account.

use async_trait::async_trait;

use crate::subscriber::{Email, MigrationToken, ProviderEvent, PutSubscriber, Subscriber};

/// What became of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The subscriber as it is afterwards.
    pub subscriber: Subscriber,
    /// Whether the person was reported for the first time.
    pub is_new: bool,
}

/// Why a command about a subscriber got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NewsletterError {
    /// The store cannot say; whether it was written is not known. Repeating it is safe.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// Nobody is moved by the link, because an operator has not set up where to. Nothing was
    /// written.
    #[error("moves by the link are not set up")]
    NotSetUp,
    /// The store answered what it never should.
    #[error("the store failed: {0}")]
    Broken(String),
}

/// The driving port of the newsletter: whoever receives commands hands them over here, and
/// waits for the answer that was committed.
#[async_trait]
pub trait Newsletter: Send + Sync {
    /// Takes in what the membership system reports of a person.
    async fn put(&self, put: PutSubscriber) -> Result<Reported, NewsletterError>;

    /// A person that was reported.
    async fn find(&self, email: &Email) -> Result<Option<Subscriber>, NewsletterError>;

    /// Erases a person. `false` for an address that nobody knows.
    async fn erase(&self, email: &Email) -> Result<bool, NewsletterError>;

    /// Takes in what the provider says, in any order and however often.
    async fn notice(&self, events: Vec<ProviderEvent>) -> Result<(), NewsletterError>;

    /// The person who holds a token.
    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError>;

    /// Moves the holder of a token to the new account because they confirmed it, and gives them
    /// as they are afterwards. Whoever has moved already stays as they are. `None` when nobody
    /// holds the token.
    async fn confirm_migration(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError>;

    /// Unsubscribes the holder of a token because they asked for it, and gives them as they are
    /// afterwards. `None` when nobody holds the token.
    async fn unsubscribe(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError>;
}
