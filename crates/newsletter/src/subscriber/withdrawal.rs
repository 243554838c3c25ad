//! Withdrawals: no account sends mail to a suppressed subscriber.
//!
//! A withdrawal looks up even unreported addresses in every account that is not known to be quiet,
//! unsubscribes active or unconfirmed people, and records the account as quiet. A reinstated
//! subscriber is only looked up, because the provider's delivery may be old. The withdrawal's own
//! unsubscription is recorded beforehand, so that it does not count as the subscriber's wish.

use time::OffsetDateTime;

use super::{Account, Change, Subscriber, SuppressionSource, provider::Found};

/// The action of a withdrawal in an account that has the subscriber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithdrawalAction {
    /// Unsubscribe the person, if active or unconfirmed.
    Suppress,
    /// Remove the address, because the person has a new address.
    Remove,
    /// Make the account forget the address.
    Forget,
}

/// Records that the coming unsubscription is this service's own. `None` if already recorded.
pub fn begin(subscriber: &Subscriber, account: Account, now: OffsetDateTime) -> Option<Change> {
    if subscriber.places[account].is_withdrawn {
        return None;
    }
    let mut after = subscriber.clone();
    after.places[account].is_withdrawn = true;
    let mut change = Change::new(Some(subscriber), after, now);
    change.is_of_withdrawal = true;
    Some(change)
}

/// Whether the subscriber must be unsubscribed in an account with this record.
pub fn is_needed(subscriber: &Subscriber, found: Option<&Found>) -> bool {
    let gets_mail = |found: &Found| !found.is_deleted && found.status.suppression().is_none();
    subscriber.status.is_suppressed() && found.is_some_and(gets_mail)
}

/// Records an account's answer. The account becomes quiet if the row is unchanged since the lookup.
pub fn record(
    subscriber: &Subscriber,
    account: Account,
    found: Option<&Found>,
    is_unchanged: bool,
    now: OffsetDateTime,
) -> Change {
    let mut after = subscriber.clone();
    if let Some(found) = found {
        after.see(account, found, SuppressionSource::Answer, now);
    }
    after.places[account].is_quiet = is_unchanged;
    let mut change = Change::new(Some(subscriber), after, now);
    change.is_of_withdrawal = true;
    if change.subscriber.status != subscriber.status && change.subscriber.needs_sync() {
        change.ask_for_sync();
    }
    change
}
