use newsletter::subscriber::{MigrationToken, SubscriberId};
use uuid::Uuid;

/// The token is from a cryptographic generator.
pub fn new_subscriber() -> (SubscriberId, MigrationToken) {
    let token = MigrationToken::new(rand::random());
    (SubscriberId::new(Uuid::now_v7()), token)
}
