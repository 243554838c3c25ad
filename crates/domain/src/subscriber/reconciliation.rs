//! What an account's list shows of a person, compared with what is known.

use time::OffsetDateTime;

use super::{
    Account, Change, Subscriber,
    provider::{Fields, Found},
};

/// Takes in how an account's list shows a person: a suppression is recorded, fields that are
/// right count as told, and others are asked to be told again. `None` when it shows what is
/// known.
///
/// A page may be older than a call that is under way. That call records what it told when it
/// ends, and one whose answer is lost differs from the list of the next night.
pub fn take_in(
    subscriber: &Subscriber,
    account: Account,
    found: &Found,
    now: OffsetDateTime,
) -> Option<Change> {
    let mut after = subscriber.clone();
    if let Some(status) = found.status.suppression() {
        after.strengthen(status);
    }
    let is_settled = after.migrated.is_none_or(|migrated| migrated.arrived);
    let is_of_account = after.account() == account && !found.is_deleted;
    if after.reported_at.is_some() && is_settled && is_of_account {
        let is_right = found.fields == Fields::from(&after.profile());
        after.told = is_right.then(|| after.telling().digest());
    }
    if after == *subscriber {
        return None;
    }
    let mut change = Change::new(Some(subscriber), after, now);
    if change.subscriber.is_untold() && is_of_account {
        change.ask_for_sync();
    }
    Some(change)
}
