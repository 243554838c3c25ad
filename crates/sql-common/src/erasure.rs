//! The tables `erasure_keys` and `erased_suppressions`: what is remembered of the erased.

use newsletter::{
    store::{self, StoreError},
    subscriber::Email,
};

use crate::stored::digest;

/// Under what an address is remembered, with the key as it is stored.
pub fn remembered_as(key: &[u8], email: &Email) -> Result<[u8; 32], StoreError> {
    store::remembered_as(&digest(key, "erasure_keys.key")?, email)
}
