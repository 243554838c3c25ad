//! How a person stands at the provider: what each account is known to show, and where a
//! suppression came from.
//!
//! The invariant: **whoever is suppressed is unsubscribed in every account that shows them
//! active or unconfirmed.** A [`Place`] is quiet once an answer has shown that its account sends
//! the person nothing; a suppression that is learnt makes both accounts unquiet, and so does
//! every answer that shows a suppressed person active. A commit that leaves an account unquiet
//! asks for the [withdrawal](domain::outbox::Effect::Withdraw) that looks there.

use std::ops::{Index, IndexMut};

use domain::vocabulary::vocabulary;
use time::OffsetDateTime;

use super::{
    Account, Subscriber, SubscriberStatus,
    provider::{Found, ProviderId, ProviderStatus},
};

/// What is known of a person in one account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The account's id of the person, once it has shown one. Who had one and is gone was
    /// removed there.
    pub id: Option<ProviderId>,
    /// Whether the account is known to send nothing to the person; of an address that departs,
    /// whether it is known to be gone there. Of interest only while there is something to
    /// [look after](Subscriber::is_watched).
    pub is_quiet: bool,
    /// Whether this service itself has unsubscribed the person there, or was about to: then it
    /// says nothing that the account shows them as unsubscribed.
    pub is_withdrawn: bool,
}

/// What is known of a person in both accounts.
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
    /// Whether each account is quiet from now on.
    pub(super) const fn set_quiet(&mut self, is_quiet: bool) {
        self.old.is_quiet = is_quiet;
        self.new.is_quiet = is_quiet;
    }
}

vocabulary! {
    /// From what a suppression was learnt.
    SuppressionSource {
        /// A delivery of the provider.
        Webhook = "webhook",
        /// The answer to a call that told the provider about the person.
        Answer = "answer",
        /// A look at the accounts during a move.
        Move = "move",
        /// An import of suppressions.
        Import = "import",
        /// Reading an account's whole list.
        Reconciliation = "reconciliation",
        /// An operator.
        Operator = "operator",
        /// The person, by the page behind the link in an e-mail.
        Link = "link",
        /// What is remembered of a person who was erased.
        Erasure = "erasure",
    }
}

/// Where a suppression came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// From what it was learnt.
    pub source: SuppressionSource,
    /// The account that showed it, where that is known.
    pub account: Option<Account>,
    /// When it was learnt.
    pub at: OffsetDateTime,
    /// Why: an operator's words, or what is known of the delivery.
    pub reason: Option<String>,
}

impl Suppression {
    /// One that is learnt from the provider.
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
    /// Whether the accounts are to be looked at until each is quiet: of who is suppressed,
    /// because nothing may be sent; of who was reinstated, because what the provider delivers
    /// has to be checked before it counts; of an address that departs, because it is to be in
    /// neither.
    pub const fn is_watched(&self) -> bool {
        self.status.is_suppressed() || self.reinstated_at.is_some() || self.departure.is_some()
    }

    /// The accounts that have to be looked at.
    pub fn unquiet(&self) -> impl Iterator<Item = Account> {
        let all = Account::ALL.iter().copied();
        all.filter(|account| self.is_watched() && !self.places[*account].is_quiet)
    }

    /// Takes in a suppression: the strongest one stands. One that is news is told to both
    /// accounts.
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

    /// Takes in how an account shows the person.
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

    /// Takes in that the person, whom the account had, is there no more: somebody has removed
    /// them, and they are not put back without an operator.
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

    /// The suppression that an account shows, if it counts. An unsubscription does not where this
    /// service itself has unsubscribed the person; and of who was reinstated it counts only from
    /// that moment on, by the account's own clock, which shows whole seconds.
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
