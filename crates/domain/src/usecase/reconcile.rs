//! Reconciling with what an account shows of everybody, page by page.

use time::OffsetDateTime;

use super::people::follow;
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account,
        provider::Listed,
        reconciliation::{self, Meanwhile},
    },
};

/// Records what one page of an account's list shows of the people who are known, in one commit,
/// and says how many of them it changed. Nobody is made known by it.
pub async fn reconcile(
    store: &dyn Store,
    account: Account,
    people: &[Listed],
    meanwhile: Meanwhile,
    now: OffsetDateTime,
) -> Result<usize, StoreError> {
    let emails: Vec<_> = people.iter().map(|person| person.email.clone()).collect();
    let known = store.load_subscribers(&emails).await?;
    let mut writes = WriteSet::new(now);
    let mut changed = 0;
    for person in people {
        let change = known.get(&person.email).and_then(|subscriber| {
            reconciliation::take_in(subscriber, account, &person.found, meanwhile, now)
        });
        if let Some(change) = change {
            change.record(&mut writes);
            changed += 1;
        }
    }
    let written = writes
        .subscribers
        .values()
        .map(|write| write.subscriber.clone());
    let written = written.collect();
    follow(store, written, &mut writes, now).await?;
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(changed)
}
