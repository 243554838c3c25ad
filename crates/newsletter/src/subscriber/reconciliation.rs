//! What an account's list shows of a person, compared with what is known.

use time::OffsetDateTime;

use super::{
    Account, Change, Subscriber, SuppressionSource,
    provider::{Fields, Found, ProviderId, ProviderStatus},
};
use crate::tasks;

/// Whether somebody may have told the account anything since its list was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meanwhile {
    /// Nobody: syncs of the account wait until its list is read. What the list shows is what the
    /// account holds.
    Quiet,
    /// A sync may have. The list may be older than what it told, even if that is not recorded.
    Told,
}

/// Takes in how an account's list shows a person, and asks for what repairs the difference: a
/// sync where its fields are others, the end of a move where the person is still in the old
/// account. Fields that are right count as told if nobody told the account any others
/// meanwhile. `None` when it shows what is known.
///
/// A page may be older than what has been done since. So nothing else is concluded from it that
/// a later call does not look at again, and no account is quiet because of it.
pub fn take_in(
    subscriber: &Subscriber,
    account: Account,
    found: &Found,
    meanwhile: Meanwhile,
    now: OffsetDateTime,
) -> Option<Change> {
    let mut after = subscriber.clone();
    after.see(account, found, SuppressionSource::Reconciliation, now);
    let mut effect = None;
    let is_reported = after.reported_at.is_some();
    let is_settled = after.migrated.is_none_or(|migrated| migrated.arrived);
    if is_reported && is_settled && !found.is_deleted {
        if after.account() == account {
            let is_right = found.fields == Fields::from(&after.profile());
            if !is_right {
                after.synced_digest = None;
            } else if meanwhile == Meanwhile::Quiet {
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

/// The account's id of a person whom its list ought to show: the account has shown them, and they
/// are to be there. A walk begins at `since`: of who was written since then, it may not know yet.
pub fn listed_as(
    subscriber: &Subscriber,
    account: Account,
    since: OffsetDateTime,
) -> Option<&ProviderId> {
    let is_settled = subscriber.migrated.is_none_or(|migrated| migrated.arrived);
    let is_there = subscriber.account() == account && subscriber.reported_at.is_some();
    let ought = is_there && is_settled && !subscriber.status.is_suppressed();
    subscriber.places[account]
        .id
        .as_ref()
        .filter(|_| ought && subscriber.updated_at < since)
}

/// Asks for a look at a person whom the account's whole list did not show though it ought to. A
/// list alone is no proof: the sync, which goes by the account's id, decides. `None` for who need
/// not be on the list any more.
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

/// Whether an account's list shows a person otherwise than is known. An id that is new here is
/// none, and neither are other fields while a sync waits.
pub fn is_different(
    subscriber: &Subscriber,
    account: Account,
    found: &Found,
    now: OffsetDateTime,
) -> bool {
    let change = take_in(subscriber, account, found, Meanwhile::Told, now);
    change.is_some_and(|change| {
        let mut after = change.subscriber;
        after.places[account]
            .id
            .clone_from(&subscriber.places[account].id);
        after.updated_at = subscriber.updated_at;
        after != *subscriber
    })
}
