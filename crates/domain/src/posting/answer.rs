//! The answers to a command: accepted, refused, or not answered at all.

use fields::validation::FieldErrors;
use kernel::{Actor, PostingId, PutOutcome, Status};

use super::{Basis, Effects, Notice, Posting, PutPosting};

/// The answer to an accepted command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The posting.
    pub id: PostingId,
    /// The outcome.
    pub outcome: PutOutcome,
    /// The posting's status afterwards.
    pub status: Status,
    /// The actor that created the posting, as far as that is known.
    pub created_by: Option<Actor>,
    /// The actor of the change before this one; `None` of a new posting.
    pub updated_by: Option<Actor>,
    /// What the command left undone.
    pub notices: Vec<Notice>,
    /// The state in which the same command changes nothing, if that is known.
    pub basis: Option<Basis>,
    /// What the command changed of the content, if it changed anything.
    pub effects: Option<Effects>,
    /// The optional fields that the posting has afterwards, as bits in the order of
    /// [`Details::OPTIONAL_FIELDS`](super::Details::OPTIONAL_FIELDS); 0 where they were not read.
    pub fields: u64,
}

impl Answer {
    pub(crate) fn on(posting: &Posting, outcome: PutOutcome) -> Self {
        Self {
            id: posting.id,
            outcome,
            status: posting.status(),
            created_by: posting.created_by.clone(),
            updated_by: posting.updated_by.clone(),
            notices: Vec::new(),
            basis: None,
            effects: None,
            fields: posting.details.set_fields(),
        }
    }

    /// The answer to a command that may have been tried before, with its answer lost: a posting
    /// that has the command's own id for a new one was created by it.
    #[must_use]
    pub fn of_retry(mut self, put: &PutPosting) -> Self {
        if self.id == put.new_id {
            self.outcome = PutOutcome::Created;
        }
        self
    }

    /// The answer to a command whose commit before was in doubt, with the answer that would have
    /// held: if nothing is left to change, that commit was made.
    #[must_use]
    pub fn after_doubt(mut self, doubted: &Self) -> Self {
        if self.outcome == PutOutcome::Unchanged && self.id == doubted.id {
            self.outcome = doubted.outcome;
            self.effects = doubted.effects;
        }
        self
    }
}

/// The reason why a command is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// Fields are wrong, by themselves or together with the stored ones.
    #[error(transparent)]
    Invalid(FieldErrors),
    /// There is nothing to expire.
    #[error("Job posting not found.")]
    NotFound,
    /// The posting's status does not allow it.
    #[error("Invalid JobPosting state transition from {from} to {to}.")]
    Transition {
        /// The present status.
        from: Status,
        /// The requested status.
        to: Status,
    },
    /// An operator's word stands.
    #[error("An operator took this posting down; only an operator can reopen it.")]
    TakenDown,
}

/// The reason why a command was not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IngestError {
    /// The rules refuse it. Nothing was written.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// Too much waits already. Nothing was written; try again shortly.
    #[error("too many postings are waiting to be written")]
    Overloaded,
    /// The store is unavailable; whether it has written is unknown. Repeating the command is safe.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// The store does not know whether it has written. The answer holds if it has.
    #[error("the store is not available: {why}")]
    InDoubt {
        /// The reason.
        why: String,
        /// The answer.
        answer: Box<Answer>,
    },
    /// The store returned invalid data.
    #[error("the store failed: {0}")]
    Broken(String),
}
