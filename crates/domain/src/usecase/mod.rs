//! The use cases: load, decide, commit. Each takes its ports, its batch and the time.

mod deliver;
mod enrich;
mod erase;
mod expire;
mod ingest;
mod migrate;
mod moderate;
mod newsletter;
mod notice;
mod operate;
mod people;
mod reconcile;
mod report;
mod sync;
mod unsubscribe;
mod withdraw;

#[cfg(test)]
mod tests;

use async_trait::async_trait;

pub use self::{
    deliver::deliver,
    enrich::{
        Assignment, Outcome, Unjudged, abandon, assignments, leave_unjudged, record_outcomes,
    },
    erase::{erase, recall},
    expire::expire,
    ingest::{Answers, decide_batch, ingest, load_batch},
    migrate::{
        Migration, MoveStep, confirm_migration, join, leave, look_up, migrate, moves, record_found,
        record_joined, record_move,
    },
    moderate::{ModerationError, moderate},
    newsletter::{Newsletter, NewsletterError, Reported},
    notice::notice_events,
    operate::{Operated, import_suppressions, reinstate, rotate_token, suppress},
    reconcile::{look_for, reconcile},
    report::{decide_subscribers, find_subscriber, find_subscriber_by_token, put_subscribers},
    sync::{Errand, Told, is_still_due, record_syncs, sync, syncs},
    unsubscribe::unsubscribe_holder,
    withdraw::{
        NextLook, Waiting, Withdrawal, begin_withdrawal, finish_withdrawal, look, next_withdrawal,
        record_withdrawal, withdraw,
    },
};
use crate::posting::{Answer, PutPosting, Rejection};

/// Why a command got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IngestError {
    /// The rules refuse it. Nothing was written.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// Too much waits already. Nothing was written; try again shortly.
    #[error("too many postings are waiting to be written")]
    Overloaded,
    /// The store cannot say; whether it was written is not known. Repeating it is safe.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// The store answered what it never should.
    #[error("the store failed: {0}")]
    Broken(String),
}

/// The driving port: whoever receives commands hands them over here, and waits for the answer
/// that was committed.
#[async_trait]
pub trait Ingest: Send + Sync {
    /// Carries out one command.
    async fn put(&self, put: PutPosting) -> Result<Answer, IngestError>;
}
