use std::fmt;

use kernel::audit::Attribution;
use time::OffsetDateTime;

use super::{
    erase::{Erased, erase, recall},
    operate::{Operated, reinstate, rotate_token, suppress},
};
use crate::{
    audit,
    store::{Store, StoreError},
    subscriber::{
        Email, MigrationToken, ProviderEvent, ReceivedEvent, Subscriber, SubscriberId,
        SubscriberStatus,
    },
};

/// An operator's reference to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonRef {
    /// An address.
    Email(Email),
    /// The id of a subscriber.
    Id(SubscriberId),
}

impl fmt::Display for PersonRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Email(email) => email.fmt(f),
            Self::Id(id) => id.fmt(f),
        }
    }
}

impl PersonRef {
    /// Returns the subscriber, reported or known only by a suppression.
    pub async fn find(&self, store: &dyn Store) -> Result<Subscriber, PersonError> {
        let found = match self {
            Self::Email(email) => store.load(std::slice::from_ref(email)).await?.remove(email),
            Self::Id(id) => store.load_by_id(&[*id]).await?.remove(id),
        };
        found.ok_or(PersonError::NotFound)
    }

    /// Returns the address, which may be unknown.
    pub async fn address(&self, store: &dyn Store) -> Result<Email, PersonError> {
        match self {
            Self::Email(email) => Ok(email.clone()),
            Self::Id(_) => Ok(self.find(store).await?.email),
        }
    }
}

/// An operator's command about a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonCommand {
    /// Suppress the address.
    Suppress {
        /// The reason.
        reason: String,
    },
    /// Reinstate the person.
    Reinstate {
        /// The reason.
        reason: String,
    },
    /// Replace the migration token.
    RotateToken {
        /// The reason.
        reason: String,
    },
    /// Erase the person.
    Erase,
}

/// The reason why nothing was decided about a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PersonError {
    /// There is no such person.
    #[error("Newsletter subscriber not found.")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

kernel::store_failure!(PersonError);

/// Carries out and audits an operator's command. Returns the outcome as a sentence.
///
/// `new_id` and `new_token` are for a new row. [`PersonCommand::RotateToken`] uses the token, too.
pub async fn decide_about_person(
    store: &dyn Store,
    person: &PersonRef,
    command: &PersonCommand,
    (new_id, new_token): (SubscriberId, MigrationToken),
    by: &Attribution,
    now: OffsetDateTime,
) -> Result<String, PersonError> {
    Ok(match command {
        PersonCommand::Suppress { reason } => {
            let notice = ReceivedEvent {
                event: ProviderEvent {
                    email: person.address(store).await?,
                    status: SubscriberStatus::Unsubscribed,
                    signed_with: None,
                },
                new_id,
                new_token,
            };
            let Operated {
                subscriber: Subscriber { email, status, .. },
                is_news,
            } = suppress(store, &notice, reason, by, now).await?;
            if is_news {
                format!("{email} is {status}; both accounts will be updated.")
            } else {
                format!("{email} was already {status}; nothing has changed.")
            }
        }
        PersonCommand::Reinstate { reason } => {
            if let PersonRef::Email(email) = person {
                // An erased address may have left a hash that still suppresses it.
                recall(store, email, (new_id, new_token), now).await?;
            }
            let known = person.find(store).await?;
            let Operated {
                subscriber: Subscriber { email, .. },
                is_news,
            } = reinstate(store, known, reason, by, now).await?;
            if is_news {
                format!(
                    "{email} is active from now on. The accounts are not changed: a person who is \
                     unsubscribed there has to subscribe again."
                )
            } else {
                format!("{email} is not suppressed; nothing has changed.")
            }
        }
        PersonCommand::RotateToken { reason } => {
            let known = person.find(store).await?;
            if known.reported_at.is_none() {
                return Err(PersonError::NotFound);
            }
            let rotated = rotate_token(store, &known, &new_token, reason, by, now).await?;
            let email = rotated.email;
            format!("{email} has a new token; links with the old one are invalid.")
        }
        PersonCommand::Erase => {
            let email = person.address(store).await?;
            let entry = by.entry(audit::SUBSCRIBERS_ERASE, now);
            if erase(store, &email, entry).await? == Erased::Nothing {
                return Err(PersonError::NotFound);
            }
            "Erased. A worker makes the e-mail provider's accounts forget the address.".to_owned()
        }
    })
}
