//! The newsletter's tasks, which call the e-mail provider, and their queues.

use kernel::{
    event::EventName,
    outbox::{Effect, Kind, Queue, TaskRow},
};
use time::{Duration, OffsetDateTime};

use crate::vocabulary::{Account, SubscriberId};

/// Sync of a subscriber with the e-mail provider. A subscriber has one such task, in the queue of
/// the account that was requested last.
pub const SYNC: Kind = Kind::new("sync", "sync with the e-mail provider");

const BULK_SYNCS_TO_OLD: Queue = Queue::lane_of(SYNC, "old-bulk");
const BULK_SYNCS_TO_NEW: Queue = Queue::lane_of(SYNC, "new-bulk");
const SYNCS_TO_OLD: Queue = Queue::lane_of(SYNC, "old").with_fallback(&BULK_SYNCS_TO_OLD);
const SYNCS_TO_NEW: Queue = Queue::lane_of(SYNC, "new").with_fallback(&BULK_SYNCS_TO_NEW);

/// The queue of moves between the accounts.
pub const MIGRATE: Queue = Queue::of(Kind::new("migrate", "move to the new account"));

/// The queue of withdrawals: suppressed subscribers and departing addresses.
pub const WITHDRAW: Queue = Queue::of(Kind::new("withdraw", "unsubscribe at the provider"));

/// Every kind of task of the newsletter.
pub const KINDS: [Kind; 3] = [SYNC, MIGRATE.kind(), WITHDRAW.kind()];

/// The queue of an account's syncs, so that a failing account does not delay the other.
pub const fn syncs(account: Account) -> Queue {
    match account {
        Account::Old => SYNCS_TO_OLD,
        Account::New => SYNCS_TO_NEW,
    }
}

/// The queue of an account's bulk syncs, which runs after its other syncs.
pub const fn bulk_syncs(account: Account) -> Queue {
    match account {
        Account::Old => BULK_SYNCS_TO_OLD,
        Account::New => BULK_SYNCS_TO_NEW,
    }
}

/// Requests the sync of a subscriber with an account.
pub const fn sync(id: SubscriberId, account: Account) -> Effect {
    Effect::new(syncs(account), id.uuid())
}

/// Requests a bulk sync, for a first report or a reconciliation. A change turns it into an ordinary
/// sync.
pub const fn bulk_sync(id: SubscriberId, account: Account) -> Effect {
    Effect::new(bulk_syncs(account), id.uuid())
}

/// Requests the move of a subscriber to the new account.
pub const fn migrate(id: SubscriberId) -> Effect {
    Effect::new(MIGRATE, id.uuid())
}

/// Requests the withdrawal of a suppressed or departing address from both accounts.
pub const fn withdraw(id: SubscriberId) -> Effect {
    Effect::new(WITHDRAW, id.uuid())
}

/// A task that has been due for longer than this is not just waiting for a free worker.
const OVERDUE: Duration = Duration::MINUTE;

/// Whether a waiting task is overdue without an error, for example because its account has no key.
pub fn lack_a_worker(waiting: &[TaskRow], now: OffsetDateTime) -> bool {
    waiting.iter().any(|task| {
        KINDS.iter().any(|kind| kind.as_str() == task.kind)
            && task.last_error.is_none()
            && task.next_at + OVERDUE < now
    })
}

/// Raised when a membership that is or was individual changes. Its listener requests a sync.
pub const INDIVIDUAL_MEMBERSHIP_UPDATED: EventName = EventName::new("IndividualMembershipUpdated");

#[cfg(test)]
mod tests {
    use kernel::{
        outbox::TaskId,
        testing::{minutes, noon, uuid},
    };

    use super::*;

    #[test]
    fn a_due_task_without_an_error_lacks_a_worker() {
        let task = |kind: &str, last_error: Option<&str>| TaskRow {
            id: TaskId(1),
            kind: kind.to_owned(),
            key: uuid(1),
            attempts: 0,
            next_at: noon(),
            last_error: last_error.map(str::to_owned),
        };
        for (task, later, is_hint) in [
            (task("sync", None), minutes(2), true),
            (task("withdraw", None), minutes(2), true),
            (task("sync", None), minutes(1), false),
            (task("sync", Some("429")), minutes(2), false),
            // An enrichment waits for another reason.
            (task("enrich", None), minutes(2), false),
        ] {
            let lacks = lack_a_worker(std::slice::from_ref(&task), noon() + later);
            assert_eq!(lacks, is_hint, "{task:?}");
        }
    }
}
