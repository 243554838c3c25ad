//! Observations of the accounts, and when a suppression counts.
//!
//! The invariant: **a suppressed subscriber is unsubscribed in every account that shows them active
//! or unconfirmed.** A [`Place`](super::Place) is quiet once its account has answered that it sends
//! nothing. A new suppression, or an answer that shows the subscriber active, clears that mark. A
//! commit that leaves an account unconfirmed requests a [withdrawal](crate::tasks::withdraw).

use time::OffsetDateTime;

use super::{
    Account, Change, Subscriber, SubscriberStatus, Suppression, SuppressionSource,
    provider::{Found, ProviderStatus},
};

impl Subscriber {
    /// Whether accounts are checked until quiet: after suppressions, reinstatements and departures.
    pub const fn is_watched(&self) -> bool {
        self.status.is_suppressed() || self.reinstated_at.is_some() || self.departure.is_some()
    }

    /// The accounts that may still send mail.
    pub fn unconfirmed_suppressions(&self) -> impl Iterator<Item = Account> {
        let all = Account::ALL.iter().copied();
        all.filter(|account| self.is_watched() && !self.places[*account].is_quiet)
    }

    /// Records a stronger status. A first suppression makes both accounts unconfirmed.
    pub(super) fn strengthen(&mut self, seen: SubscriberStatus, from: Suppression) {
        if seen <= self.status {
            return;
        }
        if !self.status.is_suppressed() {
            self.places.set_quiet(false);
        }
        self.status = seen;
        self.suppression = Some(from);
    }

    pub(super) fn see(
        &mut self,
        account: Account,
        found: &Found,
        source: SuppressionSource,
        now: OffsetDateTime,
    ) {
        if found.is_deleted {
            return;
        }
        if self.departure.is_some() {
            self.places[account].is_quiet = false;
        } else {
            self.places[account].id = Some(found.id.clone());
        }
        if let Some(seen) = self.counted(account, found) {
            self.strengthen(seen, Suppression::shown(source, Some(account), now));
        } else if self.status.is_suppressed() && found.status.suppression().is_none() {
            self.places[account].is_quiet = false;
        }
    }

    /// Records that the account has lost the subscriber. They are not created again unless an
    /// operator reinstates them.
    pub(super) fn miss(
        &mut self,
        account: Account,
        source: SuppressionSource,
        now: OffsetDateTime,
    ) {
        self.places[account].id = None;
        let from = Suppression::shown(source, Some(account), now);
        self.strengthen(SubscriberStatus::Removed, from);
    }

    /// The suppression that counts. An unsubscription does not count if this service made it, or if
    /// it is older than a reinstatement (by the account's clock, in whole seconds).
    pub(super) fn counted(&self, account: Account, found: &Found) -> Option<SubscriberStatus> {
        let seen = found.status.suppression()?;
        let is_older = |since: OffsetDateTime| {
            found
                .unsubscribed_at
                .is_some_and(|at| at.unix_timestamp() < since.unix_timestamp())
        };
        let is_void = self.places[account].is_withdrawn || self.reinstated_at.is_some_and(is_older);
        (found.status != ProviderStatus::Unsubscribed || !is_void).then_some(seen)
    }
}

/// Unsubscribes the holder of a link. `None` if an equal or stronger suppression exists.
pub fn unsubscribe(subscriber: &Subscriber, now: OffsetDateTime) -> Option<Change> {
    let mut after = subscriber.clone();
    let from = Suppression::shown(SuppressionSource::Link, None, now);
    after.strengthen(SubscriberStatus::Unsubscribed, from);
    Change::of_status(Some(subscriber), after, now)
}
