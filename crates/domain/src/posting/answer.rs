//! The answers to a command: accepted, refused, or failed.

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
    /// The creator of the posting, if known.
    pub created_by: Option<Actor>,
    /// The actor of the previous change; `None` for a new posting.
    pub updated_by: Option<Actor>,
    /// The parts of the command that were not done.
    pub notices: Vec<Notice>,
    /// The state in which the same command changes nothing, if known.
    pub basis: Option<Basis>,
    /// The changes of content by the command, if there are any.
    pub effects: Option<Effects>,
    /// The posting's optional fields afterwards, as bits in the order of
    /// [`Details::OPTIONAL_FIELDS`](super::Details::OPTIONAL_FIELDS); 0 if not read.
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

    /// The answer to a command that may repeat one whose answer was lost. If the posting's id is
    /// the command's new id, the command created the posting.
    #[must_use]
    pub fn of_retry(mut self, put: &PutPosting) -> Self {
        if self.id == put.new_id {
            self.outcome = PutOutcome::Created;
        }
        self
    }

    /// The answer to a command that is repeated after a commit in doubt. If the command then
    /// changes nothing, the doubted commit succeeded, and `doubted` is the answer.
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
    /// Fields are invalid, alone or together with stored fields.
    #[error(transparent)]
    Invalid(FieldErrors),
    /// There is nothing to expire.
    #[error("Job posting not found.")]
    NotFound,
    /// The posting's status does not allow the change.
    #[error("Invalid JobPosting state transition from {from} to {to}.")]
    Transition {
        /// The present status.
        from: Status,
        /// The requested status.
        to: Status,
    },
    /// An operator rejected the posting or took it down.
    #[error("An operator took this posting down; only an operator can reopen it.")]
    TakenDown,
}

impl Rejection {
    /// The code of a rule that is not about single fields.
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::Transition { .. } => Some("transition"),
            Self::TakenDown => Some("taken_down"),
            Self::Invalid(_) | Self::NotFound => None,
        }
    }
}

/// Why a command has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IngestError {
    /// Refused by the rules. Nothing was written.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// Too much is waiting. Nothing was written; retry shortly.
    #[error("too many postings are waiting to be written")]
    Overloaded,
    /// The store is unavailable. It may have written the command, which is safe to repeat.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// The store does not know whether it has written the command. If so, `answer` is valid.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{answered, create};

    #[test]
    fn a_repeated_command_gets_the_answer_that_was_lost() {
        let unchanged = answered("a", PutOutcome::Unchanged);
        let retried = |name| unchanged.clone().of_retry(&create(name, "acme")).outcome;
        assert_eq!(retried("a"), PutOutcome::Created);
        assert_eq!(retried("b"), PutOutcome::Unchanged);
        let lost = Answer {
            effects: Some(Effects::default()),
            ..answered("a", PutOutcome::Updated)
        };
        assert_eq!(unchanged.clone().after_doubt(&lost), lost);
        for other in [
            answered("b", PutOutcome::Unchanged),
            answered("a", PutOutcome::Expired),
        ] {
            assert_eq!(other.clone().after_doubt(&lost), other);
        }
    }

    #[test]
    fn rules_about_states_have_codes() {
        let (from, to) = (Status::Rejected, Status::Expired);
        for (rejection, expect) in [
            (Rejection::Transition { from, to }, Some("transition")),
            (Rejection::TakenDown, Some("taken_down")),
            (Rejection::NotFound, None),
        ] {
            assert_eq!(rejection.code(), expect);
        }
    }
}
