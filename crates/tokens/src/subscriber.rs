use newsletter::subscriber::{MigrationToken, SubscriberId};
use uuid::Uuid;

/// Returns a new id, and a token from a cryptographic generator.
pub fn new_subscriber() -> (SubscriberId, MigrationToken) {
    let token = MigrationToken::new(rand::random());
    (SubscriberId::new(Uuid::now_v7()), token)
}
