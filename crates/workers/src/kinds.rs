//! Every kind of task that this program has, put together from the contexts that declare them.

use ::newsletter::tasks::{MIGRATE, SYNC, WITHDRAW};
use domain::posting::{DUPLICATES, ENRICH};
use kernel::outbox::Kind;

/// Every kind, in the order in which they are shown.
pub const ALL: [Kind; 5] = [
    ENRICH.kind(),
    DUPLICATES.kind(),
    SYNC,
    MIGRATE.kind(),
    WITHDRAW.kind(),
];
