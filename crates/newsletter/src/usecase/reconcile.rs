//! Reconciliation with an account's list, page by page.

use time::OffsetDateTime;

use super::people::follow;
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, SubscriberId,
        provider::Listed,
        reconciliation::{self, ConcurrentWrites},
    },
};

/// Records a page of an account's list in one commit, and returns the number of changed
/// subscribers. Unknown addresses get no row.
pub async fn reconcile(
    store: &dyn Store,
    account: Account,
    people: &[Listed],
    concurrent: ConcurrentWrites,
    now: OffsetDateTime,
) -> Result<usize, StoreError> {
    let emails: Vec<_> = people.iter().map(|person| person.email.clone()).collect();
    let known = store.load(&emails).await?;
    let mut writes = WriteSet::new(now);
    let mut changed = 0;
    for person in people {
        let change = known.get(&person.email).and_then(|subscriber| {
            reconciliation::take_in(subscriber, account, &person.found, concurrent, now)
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

/// Asks for lookups of subscribers who are missing from an account's list, in one commit, and
/// returns their number. The walk of the list began at `since`.
pub async fn look_for(
    store: &dyn Store,
    account: Account,
    people: &[SubscriberId],
    since: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<usize, StoreError> {
    let known = store.load_by_id(people).await?;
    let mut writes = WriteSet::new(now);
    for subscriber in known.values() {
        if let Some(change) = reconciliation::look_for(subscriber, account, since, now) {
            change.record(&mut writes);
        }
    }
    let asked = writes.tasks.asked().len();
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(asked)
}
