//! Who is meant by an address or a UUID.

use domain::store::StoreError;
use newsletter::{
    store::Store,
    subscriber::{Email, Subscriber},
};

use crate::config::PersonRef;

/// What is said of somebody who is not known at all.
pub(super) const NOBODY: &str = "Newsletter subscriber not found.";

/// The person, whether they were reported or are known by a suppression alone.
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

/// The address that is meant, whether anybody has it or not; `None` of an id that nobody has.
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
