//! Resolves an address or a UUID to a subscriber.

use kernel::StoreError;
use newsletter::{
    store::Store,
    subscriber::{Email, Subscriber},
};

use crate::config::PersonRef;

/// The message about an unknown person.
pub const NOT_FOUND: &str = "Newsletter subscriber not found.";

/// Finds a person, whether reported or known only by a suppression.
pub(super) async fn find(
    store: &dyn Store,
    person: &PersonRef,
) -> Result<Option<Subscriber>, StoreError> {
    match person {
        PersonRef::Email(email) => {
            let mut known = store.load(std::slice::from_ref(email)).await?;
            Ok(known.remove(email))
        }
        PersonRef::Id(id) => Ok(store.load_by_id(&[*id]).await?.remove(id)),
    }
}

/// Resolves a reference to an address. An address needs no subscriber; an unknown UUID is `None`.
pub(super) async fn address(
    store: &dyn Store,
    person: &PersonRef,
) -> Result<Option<Email>, StoreError> {
    match person {
        PersonRef::Email(email) => Ok(Some(email.clone())),
        PersonRef::Id(_) => {
            let known = find(store, person).await?;
            Ok(known.map(|known| known.email))
        }
    }
}
