//! Every kind of task and every event that this program has, put together from the contexts that
//! declare them.

use domain::posting::{DUPLICATES, ENRICH, event::PUBLIC};
use kernel::{
    event::EventName,
    outbox::{Kind, Queue},
};
use newsletter::{
    subscriber::Account,
    tasks::{self, INDIVIDUAL_MEMBERSHIP_UPDATED, MIGRATE, SYNC, WITHDRAW},
};

/// Every kind, in the order in which they are shown.
pub const ALL: [Kind; 5] = [
    ENRICH.kind(),
    DUPLICATES.kind(),
    SYNC,
    MIGRATE.kind(),
    WITHDRAW.kind(),
];

/// Every queue that loops of a worker wait at. What is behind one has no loops of its own.
pub const QUEUES: [Queue; 6] = [
    ENRICH,
    DUPLICATES,
    tasks::syncs(Account::Old),
    tasks::syncs(Account::New),
    MIGRATE,
    WITHDRAW,
];

/// The names of all events.
pub fn events() -> Vec<EventName> {
    let mut names = PUBLIC.to_vec();
    names.push(INDIVIDUAL_MEMBERSHIP_UPDATED);
    names
}
