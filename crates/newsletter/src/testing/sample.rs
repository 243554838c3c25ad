use kernel::testing::{noon, valid};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::subscriber::{
    Email, MigrationToken, ProviderEvent, PutSubscriber, ReceivedEvent, Subscriber, SubscriberId,
    SubscriberStatus,
};

#[track_caller]
pub fn email(text: &str) -> Email {
    valid(Email::parse(text))
}

/// The id that [`report`] and [`notice`] give a new subscriber with this address.
pub fn subscriber_id(email: &str) -> SubscriberId {
    SubscriberId::new(Uuid::new_v5(&Uuid::NAMESPACE_OID, email.as_bytes()))
}

/// The token that [`report`] and [`notice`] give a new subscriber with this address.
pub fn token(email: &str) -> MigrationToken {
    MigrationToken::new(Sha256::digest(email).into())
}

#[track_caller]
pub fn report(address: &str, body: &str) -> PutSubscriber {
    let (id, token) = (subscriber_id(address), token(address));
    let put = PutSubscriber::read(Email::parse(address), body.as_bytes(), id, token);
    valid(put)
}

pub fn notice(address: &str, status: SubscriberStatus) -> ReceivedEvent {
    ReceivedEvent {
        event: ProviderEvent {
            signed_with: None,
            email: email(address),
            status,
        },
        new_id: subscriber_id(address),
        new_token: token(address),
    }
}

pub fn subscriber(address: &str) -> Subscriber {
    let (id, token) = (subscriber_id(address), token(address));
    Subscriber {
        reported_at: Some(noon()),
        ..Subscriber::unreported(email(address), id, token, noon())
    }
}
