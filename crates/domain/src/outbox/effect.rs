//! What can be asked for, and the queues in which it waits.

use std::fmt;

use uuid::Uuid;

use crate::{
    posting::PostingId,
    subscriber::{Account, SubscriberId},
};

/// Something to do outside the store, named by whom it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Enrich a posting.
    Enrich(PostingId),
    /// Tell the e-mail provider about a subscriber, in the account that the subscriber is in.
    /// The account is not part of the key: there is one sync of a subscriber, and the account
    /// that was asked for last stands.
    Sync(SubscriberId, Account),
    /// A sync that no change of the subscriber asks for: the first one, as a whole list may be
    /// reported at once, and what reading an account's list asks for. It waits behind all other
    /// syncs of the account. It is one with the subscriber's sync, and becomes that when a change
    /// asks for one.
    BulkSync(SubscriberId, Account),
    /// Move a subscriber from the provider's old account to the new one.
    Migrate(SubscriberId),
    /// See that no account of the provider sends anything to a subscriber who is suppressed, and
    /// that an address that is to go is in neither.
    Withdraw(SubscriberId),
}

impl Effect {
    /// The effect's kind.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Enrich(_) => Kind::Enrich,
            Self::Sync(..) | Self::BulkSync(..) => Kind::Sync,
            Self::Migrate(_) => Kind::Migrate,
            Self::Withdraw(_) => Kind::Withdraw,
        }
    }

    /// Whom it is for. An effect is one with every other of its kind and key.
    pub const fn key(self) -> Uuid {
        match self {
            Self::Enrich(id) => id.uuid(),
            Self::Sync(id, _) | Self::BulkSync(id, _) | Self::Migrate(id) | Self::Withdraw(id) => {
                id.uuid()
            }
        }
    }

    /// The queue it waits in.
    pub const fn queue(self) -> Queue {
        match self {
            Self::Enrich(_) => Queue::Enrich,
            Self::Sync(_, account) => Queue::Sync(account),
            Self::BulkSync(_, account) => Queue::BulkSync(account),
            Self::Migrate(_) => Queue::Migrate,
            Self::Withdraw(_) => Queue::Withdraw,
        }
    }
}

/// The kinds of task, by their names in the stores and on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// [`Effect::Enrich`].
    Enrich,
    /// An [`Event`](super::Event).
    Event,
    /// [`Effect::Sync`] and [`Effect::BulkSync`].
    Sync,
    /// [`Effect::Migrate`].
    Migrate,
    /// [`Effect::Withdraw`].
    Withdraw,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Self::Enrich,
        Self::Event,
        Self::Sync,
        Self::Migrate,
        Self::Withdraw,
    ];

    /// The kind's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enrich => "enrich",
            Self::Event => "event",
            Self::Sync => "sync",
            Self::Migrate => "migrate",
            Self::Withdraw => "withdraw",
        }
    }

    /// The kind with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where tasks wait for a worker. There is one for each kind, but for syncs two for each account:
/// so one account that takes nothing holds nothing up for the other, and bulk work holds up no
/// change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Queue {
    /// Enrichments.
    Enrich,
    /// Events.
    Event,
    /// Syncs to one account.
    Sync(Account),
    /// Syncs to one account that are bulk work.
    BulkSync(Account),
    /// Moves between the accounts.
    Migrate,
    /// Withdrawals of suppressed people, and of addresses that are to go, from the accounts.
    Withdraw,
}

impl Queue {
    /// Every queue.
    pub const ALL: [Self; 8] = [
        Self::Enrich,
        Self::Event,
        Self::Sync(Account::Old),
        Self::Sync(Account::New),
        Self::BulkSync(Account::Old),
        Self::BulkSync(Account::New),
        Self::Migrate,
        Self::Withdraw,
    ];

    /// The kind of the tasks in it.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Enrich => Kind::Enrich,
            Self::Event => Kind::Event,
            Self::Sync(_) | Self::BulkSync(_) => Kind::Sync,
            Self::Migrate => Kind::Migrate,
            Self::Withdraw => Kind::Withdraw,
        }
    }

    /// Its name in the stores beside its kind, where there are several of the kind.
    pub const fn lane(self) -> Option<&'static str> {
        match self {
            Self::Sync(Account::Old) => Some("old"),
            Self::Sync(Account::New) => Some("new"),
            Self::BulkSync(Account::Old) => Some("old-bulk"),
            Self::BulkSync(Account::New) => Some("new-bulk"),
            Self::Enrich | Self::Event | Self::Migrate | Self::Withdraw => None,
        }
    }

    /// Whether what waits in it may wait for long.
    pub const fn is_bulk(self) -> bool {
        matches!(self, Self::BulkSync(_))
    }

    /// The queue whose tasks are done while there is nothing to do in this one: changes of people
    /// go before bulk work.
    pub const fn behind(self) -> Option<Self> {
        match self {
            Self::Sync(account) => Some(Self::BulkSync(account)),
            Self::BulkSync(_) | Self::Enrich | Self::Event | Self::Migrate | Self::Withdraw => None,
        }
    }
}
