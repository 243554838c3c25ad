//! Every kind of task that this program has, put together from the contexts that declare them.

use domain::{
    outbox::{EVENTS, Kind, Queue},
    posting::ENRICH,
};
use newsletter::{
    subscriber::Account,
    tasks::{self, MIGRATE, SYNC, WITHDRAW},
};

/// Every kind, in the order in which they are shown.
pub const ALL: [Kind; 5] = [
    ENRICH.kind(),
    EVENTS.kind(),
    SYNC,
    MIGRATE.kind(),
    WITHDRAW.kind(),
];

/// Every queue that loops of a worker wait at. What is behind one has no loops of its own.
pub const QUEUES: [Queue; 6] = [
    ENRICH,
    EVENTS,
    tasks::syncs(Account::Old),
    tasks::syncs(Account::New),
    MIGRATE,
    WITHDRAW,
];
