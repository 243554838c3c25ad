//! A subscriber's state at the provider, and the origin of a suppression.
//!
//! The invariant: **a suppressed subscriber is unsubscribed in every account that shows them active
//! or unconfirmed.** A [`Place`] is quiet once an answer has shown that its account sends nothing;
//! a new suppression makes both accounts unquiet, and so does an answer that shows a suppressed
//! subscriber active. A commit that leaves an account unquiet asks for the
//! [withdrawal](crate::tasks::withdraw) that checks it.

use std::ops::{Index, IndexMut};

use kernel::vocabulary::vocabulary;
use time::OffsetDateTime;

use super::{
    Account, Subscriber, SubscriberStatus,
    provider::{Found, ProviderId, ProviderStatus},
};

/// A subscriber's state in one account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The account's id of the subscriber, once it has shown one. Absence afterwards means removal.
    pub id: Option<ProviderId>,
    /// Whether the account is known to send nothing; for a departing address, whether it is known
    /// to be gone. Used only while the accounts are [watched](Subscriber::is_watched).
    pub is_quiet: bool,
    /// Whether this service has unsubscribed the subscriber there, or was about to. The account's
    /// `unsubscribed` is then no wish of the subscriber.
    pub is_withdrawn: bool,
}

/// A subscriber's state in both accounts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// In the old account.
    pub old: Place,
    /// In the new one.
    pub new: Place,
}

impl Index<Account> for Places {
    type Output = Place;

    fn index(&self, account: Account) -> &Place {
        match account {
            Account::Old => &self.old,
            Account::New => &self.new,
        }
    }
}

impl IndexMut<Account> for Places {
    fn index_mut(&mut self, account: Account) -> &mut Place {
        match account {
            Account::Old => &mut self.old,
            Account::New => &mut self.new,
        }
    }
}

impl Places {
    /// Sets both accounts quiet or unquiet.
    pub(super) const fn set_quiet(&mut self, is_quiet: bool) {
        self.old.is_quiet = is_quiet;
        self.new.is_quiet = is_quiet;
    }
}

vocabulary! {
    /// The origin of a suppression.
    #[non_exhaustive]
    SuppressionSource {
        Webhook = "webhook",
        /// The answer to a sync.
        Answer = "answer",
        /// A lookup during a move.
        Move = "move",
        Import = "import",
        /// An account's list.
        Reconciliation = "reconciliation",
        Operator = "operator",
        /// The subscriber, by the link in an e-mail.
        Link = "link",
        /// The remembered suppression of an erased subscriber.
        Erasure = "erasure",
    }
}

/// The record of a suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// Its origin.
    pub source: SuppressionSource,
    /// The account that showed it, if known.
    pub account: Option<Account>,
    /// When it was learnt.
    pub at: OffsetDateTime,
    /// The reason: an operator's words, or a description of the delivery.
    pub reason: Option<String>,
}

impl Suppression {
    /// A suppression without a reason, as an account shows it.
    pub const fn shown(
        source: SuppressionSource,
        account: Option<Account>,
        at: OffsetDateTime,
    ) -> Self {
        Self {
            source,
            account,
            at,
            reason: None,
        }
    }
}

impl Subscriber {
    /// Whether the accounts are checked until each is quiet: after a suppression, because nothing
    /// may be sent; after a reinstatement, because deliveries must be checked before they count;
    /// and for a departing address.
    pub const fn is_watched(&self) -> bool {
        self.status.is_suppressed() || self.reinstated_at.is_some() || self.departure.is_some()
    }

    /// The accounts that still have to be checked.
    pub fn unquiet(&self) -> impl Iterator<Item = Account> {
        let all = Account::ALL.iter().copied();
        all.filter(|account| self.is_watched() && !self.places[*account].is_quiet)
    }

    /// Applies a suppression if it is stronger. The first one makes both accounts unquiet.
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

    /// Applies an account's record of the subscriber.
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

    /// Records that the account has lost the subscriber: removed, and not created again unless an
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

    /// The suppression that an account shows, if it counts. An unsubscription by this service does
    /// not count, nor one before a reinstatement, by the account's clock in whole seconds.
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
