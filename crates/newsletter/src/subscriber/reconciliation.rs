//! Compares an account's list with the stored subscribers.

use time::OffsetDateTime;

use super::{
    Account, Change, Subscriber, SuppressionSource,
    provider::{Found, ProviderId, ProviderStatus},
};
use crate::tasks;

/// Whether the account may have been written to since its list was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConcurrentWrites {
    /// No writes: syncs wait until the list is read, so the list shows the account's present state.
    Excluded,
    /// Writes are possible: the list may be older than a sync, even an unrecorded one.
    Possible,
}

/// Applies an entry of an account's list. Requests a sync if fields differ, or another move if a
/// moved subscriber is still active in the old account. `None` if nothing changes.
///
/// A page may be outdated. So an entry only requests tasks that check the account, and marks no
/// account quiet.
pub fn take_in(
    subscriber: &Subscriber,
    account: Account,
    found: &Found,
    concurrent: ConcurrentWrites,
    now: OffsetDateTime,
) -> Option<Change> {
    let mut after = subscriber.clone();
    after.see(account, found, SuppressionSource::Reconciliation, now);
    let mut effect = None;
    let is_reported = after.reported_at.is_some();
    if is_reported && !after.is_under_way() && !found.is_deleted {
        if after.account() == account {
            let is_right = found.fields == after.profile().fields;
            if !is_right {
                after.synced_digest = None;
            } else if concurrent == ConcurrentWrites::Excluded {
                after.hold(after.provider_state().digest(), now);
            }
            if after.needs_sync() {
                effect = Some(after.bulk_sync());
            }
        } else if account == Account::Old
            && found.status == ProviderStatus::Active
            && !after.status.is_suppressed()
            && let Some(migrated) = &mut after.migrated
        {
            migrated.arrived = false;
            effect = Some(tasks::migrate(after.id));
        }
    }
    if after == *subscriber && effect.is_none() {
        return None;
    }
    let mut change = Change::new(Some(subscriber), after, now);
    change.effect = effect;
    Some(change)
}

/// The id of a subscriber who must be listed; `None` for others, or a row written after `since`.
pub fn listed_as(
    subscriber: &Subscriber,
    account: Account,
    since: OffsetDateTime,
) -> Option<&ProviderId> {
    let is_there = subscriber.account() == account && subscriber.reported_at.is_some();
    let ought = is_there && !subscriber.is_under_way() && !subscriber.status.is_suppressed();
    subscriber.places[account]
        .id
        .as_ref()
        .filter(|_| ought && subscriber.updated_at < since)
}

/// Requests a sync that looks up a subscriber missing from a list. `None` if none is needed.
pub fn look_for(
    subscriber: &Subscriber,
    account: Account,
    since: OffsetDateTime,
    now: OffsetDateTime,
) -> Option<Change> {
    listed_as(subscriber, account, since)?;
    let after = Subscriber {
        synced_digest: None,
        ..subscriber.clone()
    };
    let mut change = Change::new(Some(subscriber), after, now);
    change.effect = Some(subscriber.bulk_sync());
    Some(change)
}

/// Whether an account's entry differs from the stored record. New ids do not count; fields count
/// only without a pending sync.
pub fn is_different(
    subscriber: &Subscriber,
    account: Account,
    found: &Found,
    now: OffsetDateTime,
) -> bool {
    let change = take_in(subscriber, account, found, ConcurrentWrites::Possible, now);
    change.is_some_and(|change| {
        let mut after = change.subscriber;
        after.places[account]
            .id
            .clone_from(&subscriber.places[account].id);
        after.updated_at = subscriber.updated_at;
        after != *subscriber
    })
}
