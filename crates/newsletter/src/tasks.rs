//! What the newsletter asks for: its kinds of task, their queues, and its event.

use domain::outbox::{Effect, EventName, Kind, Queue};

use crate::subscriber::{Account, SubscriberId};

/// Telling the e-mail provider about a subscriber. There is one sync of a subscriber, in the
/// account that was asked for last.
pub const SYNC: Kind = Kind::new("sync");

const BULK_SYNCS_TO_OLD: Queue = Queue::lane_of(SYNC, "old-bulk");
const BULK_SYNCS_TO_NEW: Queue = Queue::lane_of(SYNC, "new-bulk");
const SYNCS_TO_OLD: Queue = Queue::lane_of(SYNC, "old").before(&BULK_SYNCS_TO_OLD);
const SYNCS_TO_NEW: Queue = Queue::lane_of(SYNC, "new").before(&BULK_SYNCS_TO_NEW);

/// Where moves between the accounts wait.
pub const MIGRATE: Queue = Queue::of(Kind::new("migrate"));

/// Where withdrawals of suppressed people, and of addresses that are to go, from the accounts
/// wait.
pub const WITHDRAW: Queue = Queue::of(Kind::new("withdraw"));

/// Every kind of task of the newsletter.
pub const KINDS: [Kind; 3] = [SYNC, MIGRATE.kind(), WITHDRAW.kind()];

/// Where syncs to an account wait. Each account has its own queue, so that one that takes nothing
/// holds up nothing for the other.
pub const fn syncs(account: Account) -> Queue {
    match account {
        Account::Old => SYNCS_TO_OLD,
        Account::New => SYNCS_TO_NEW,
    }
}

/// Where syncs to an account wait that no change of the person asks for, behind all others.
pub const fn bulk_syncs(account: Account) -> Queue {
    match account {
        Account::Old => BULK_SYNCS_TO_OLD,
        Account::New => BULK_SYNCS_TO_NEW,
    }
}

/// The account whose syncs wait in a queue; `None` of a queue of other tasks.
pub fn account_of(queue: Queue) -> Option<Account> {
    let mut accounts = Account::ALL.iter().copied();
    accounts.find(|it| [syncs(*it), bulk_syncs(*it)].contains(&queue))
}

/// Tells an account about a subscriber.
pub const fn sync(id: SubscriberId, account: Account) -> Effect {
    Effect::new(syncs(account), id.uuid())
}

/// A sync that no change of the subscriber asks for: the first one, as a whole list may be
/// reported at once, and what reading an account's list asks for. It becomes an ordinary one when
/// a change asks for one.
pub const fn bulk_sync(id: SubscriberId, account: Account) -> Effect {
    Effect::new(bulk_syncs(account), id.uuid())
}

/// Moves a subscriber from the provider's old account to the new one.
pub const fn migrate(id: SubscriberId) -> Effect {
    Effect::new(MIGRATE, id.uuid())
}

/// Sees that no account of the provider sends anything to a subscriber who is suppressed, and that
/// an address that is to go is in neither.
pub const fn withdraw(id: SubscriberId) -> Effect {
    Effect::new(WITHDRAW, id.uuid())
}

/// A membership changed that is a person's own, or was before.
pub const INDIVIDUAL_MEMBERSHIP_UPDATED: EventName = EventName::new("IndividualMembershipUpdated");
