//! Withdrawals: no account sends anything to a person who is suppressed.
//!
//! A withdrawal looks the person up in every account that is not known to be quiet, unsubscribes
//! them where they are shown active or unconfirmed, and records that the account is quiet. It
//! works by address, so it serves people whom nobody has reported too. For a person who was
//! reinstated it only looks, because what the provider delivers about them may be old.
//!
//! That it unsubscribes somebody is noted before, so that what the account shows of it is never
//! taken for the person's own word: who bounced or was removed stays recorded as that.

use time::OffsetDateTime;

use super::{Account, Change, Subscriber, SuppressionSource, provider::Found};

/// What a withdrawal does about a person whom an account shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Unsubscribes them where they are shown active or unconfirmed.
    Suppress,
    /// Takes them out: they have another address now.
    Remove,
    /// Has the account forget them.
    Forget,
}

/// Notes, before an account is told, that the unsubscription that it shows from then on is this
/// service's own. `None` if that was noted before.
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

/// Whether an account that shows this is to unsubscribe the person.
pub fn is_needed(subscriber: &Subscriber, found: Option<&Found>) -> bool {
    let gets_mail = |found: &Found| !found.is_deleted && found.status.suppression().is_none();
    subscriber.status.is_suppressed() && found.is_some_and(gets_mail)
}

/// Records what an account showed of the person, whom it has unsubscribed since where that was
/// needed. The account is quiet from now on if nobody has written the person meanwhile: what they
/// wrote may be what another call has learnt there.
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
