use std::ops::AddAssign;

use time::OffsetDateTime;

use super::people::follow;
use crate::{
    store::{Store, StoreError, WriteSet},
    subscriber::{
        Account, SubscriberId,
        provider::Page,
        reconciliation::{self, ConcurrentWrites},
    },
};

/// Counts of an account's list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListCounts {
    /// The people on the list.
    pub people: u64,
    /// Listed people without a row in this service.
    pub unknown: u64,
    /// Listed people whom the account shows as suppressed.
    pub suppressed: u64,
    /// Listed people whose entry differs from the stored record.
    pub different: u64,
    /// The entries that could not be read.
    pub odd: u64,
    /// Subscribers who were in the account before, but are not listed.
    pub missing: u64,
}

impl AddAssign for ListCounts {
    fn add_assign(&mut self, more: Self) {
        self.people += more.people;
        self.unknown += more.unknown;
        self.suppressed += more.suppressed;
        self.different += more.different;
        self.odd += more.odd;
        self.missing += more.missing;
    }
}

/// Counts a page of a list, and records the page unless in a dry run. Unknown addresses get no row.
pub async fn reconcile(
    store: &dyn Store,
    account: Account,
    page: &Page,
    concurrent: ConcurrentWrites,
    is_dry: bool,
    now: OffsetDateTime,
) -> Result<ListCounts, StoreError> {
    let people = &page.people;
    let emails: Vec<_> = people.iter().map(|person| person.email.clone()).collect();
    let known = store.load(&emails).await?;
    let mut writes = WriteSet::new(now);
    let mut counts = ListCounts {
        people: people.len() as u64,
        odd: page.odd.len() as u64,
        ..ListCounts::default()
    };
    for person in people {
        let found = &person.found;
        counts.suppressed += u64::from(found.status.suppression().is_some());
        let Some(subscriber) = known.get(&person.email) else {
            counts.unknown += 1;
            continue;
        };
        let is_different = reconciliation::is_different(subscriber, account, found, now);
        counts.different += u64::from(is_different);
        let change = reconciliation::take_in(subscriber, account, found, concurrent, now);
        if let Some(change) = change {
            change.record(&mut writes);
        }
    }
    let written = writes.subscribers.values();
    let written = written.map(|write| write.subscriber.clone()).collect();
    follow(store, written, &mut writes, now).await?;
    if !is_dry && !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(counts)
}

/// Requests lookups of subscribers missing from a list read since `since`. Returns their number.
pub async fn look_for(
    store: &dyn Store,
    account: Account,
    people: &[SubscriberId],
    since: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<u64, StoreError> {
    let known = store.load_by_id(people).await?;
    let mut writes = WriteSet::new(now);
    for subscriber in known.values() {
        if let Some(change) = reconciliation::look_for(subscriber, account, since, now) {
            change.record(&mut writes);
        }
    }
    let asked = writes.tasks.asked().len() as u64;
    if !writes.is_empty() {
        store.commit(writes).await?;
    }
    Ok(asked)
}
