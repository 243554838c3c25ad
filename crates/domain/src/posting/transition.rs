//! The states of a posting, and the table of transitions.
//!
//! [`Trigger::on`] is the table; [`Posting::fire`](super::Posting::fire) applies it.

use fields::{line::bounded, vocabulary::vocabulary};
use kernel::Status;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// The longest quoted reason of a review, in characters.
const LONGEST_REASON: usize = 240;

/// The state of a posting. `moderated` means that an operator decided it. Then no push or enricher
/// reverses a rejection or an expiry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// It awaits its first verdict, or the first verdict after a reopening.
    Pending {
        /// Why its newest content waits for an operator's verdict.
        review: Option<Review>,
    },
    /// Readers see it.
    Approved {
        /// Why its newest content waits for an operator's verdict.
        review: Option<Review>,
        /// Whether an operator approved the last judged content.
        moderated: bool,
    },
    /// A verdict hides it from readers.
    Rejected {
        /// Whether the verdict is an operator's.
        moderated: bool,
    },
    /// It was taken down, or its lifetime ended.
    Expired {
        /// The time at which it left the open states.
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
        /// Whether an operator took it down.
        moderated: bool,
    },
}

vocabulary! {
    /// Why content waits for an operator's verdict.
    Review {
        /// The enricher gave no verdict.
        NoVerdict = "no_verdict",
        /// Workers died while they enriched it, and further workers would die, too.
        Poison = "poison",
        /// It is no ad, and so does not replace an ad.
        ContentHeld = "content_held",
    }
}

impl Review {
    pub(super) fn sentence(self, status: Status, reason: &str) -> String {
        let prefix = match (self, status) {
            (Self::ContentHeld, _) => "content_held: ",
            (_, Status::Approved) => "awaiting_review: ",
            _ => "enrichment_failed: ",
        };
        prefix.to_owned() + &bounded(reason, LONGEST_REASON)
    }
}

impl State {
    /// The state of these stored values; `None` if contradictory.
    pub const fn stored(
        status: Status,
        review: Option<Review>,
        moderated: bool,
        expired_at: Option<OffsetDateTime>,
    ) -> Option<Self> {
        match (status, review, moderated, expired_at) {
            (Status::PendingEnrichment, review, false, None) => Some(Self::Pending { review }),
            (Status::Approved, review, moderated, None) => {
                Some(Self::Approved { review, moderated })
            }
            (Status::Rejected, None, moderated, None) => Some(Self::Rejected { moderated }),
            (Status::Expired, None, moderated, Some(at)) => Some(Self::Expired { at, moderated }),
            _ => None,
        }
    }

    /// The status: the state as integrations know it.
    pub const fn status(self) -> Status {
        match self {
            Self::Pending { .. } => Status::PendingEnrichment,
            Self::Approved { .. } => Status::Approved,
            Self::Rejected { .. } => Status::Rejected,
            Self::Expired { .. } => Status::Expired,
        }
    }

    /// Whether it is neither rejected nor expired.
    pub const fn is_open(self) -> bool {
        self.status().is_open()
    }

    /// Whether an operator decided it.
    pub const fn is_moderated(self) -> bool {
        match self {
            Self::Pending { .. } => false,
            Self::Approved { moderated, .. }
            | Self::Rejected { moderated }
            | Self::Expired { moderated, .. } => moderated,
        }
    }

    /// Why its newest content waits for an operator's verdict.
    pub const fn review(self) -> Option<Review> {
        match self {
            Self::Pending { review } | Self::Approved { review, .. } => review,
            Self::Rejected { .. } | Self::Expired { .. } => None,
        }
    }

    /// When it was expired.
    pub const fn expired_at(self) -> Option<OffsetDateTime> {
        match self {
            Self::Expired { at, .. } => Some(at),
            _ => None,
        }
    }

    /// The state with this review; a closed posting has none.
    pub(super) const fn reviewed(self, review: Option<Review>) -> Self {
        match self {
            Self::Pending { .. } => Self::Pending { review },
            Self::Approved { moderated, .. } => Self::Approved { review, moderated },
            closed => closed,
        }
    }
}

vocabulary! {
    /// An occurrence that may change the state of a posting.
    Trigger {
        /// A push with an `expiration`.
        Expire = "client expires",
        /// An operator's takedown.
        ExpireByOperator = "operator expires",
        /// The end of a lifetime or a closing date, or an import that misses the posting.
        Lapse = "lifetime ends or catalogue drops it",
        /// A push with `"expiration": null`.
        Reopen = "client reopens",
        /// A push of a catalogue, or the undo of a catalogue's import.
        Relist = "catalogue lists it or is undone",
        ReopenByOperator = "operator reopens",
        /// An enrichment whose content may be shown.
        ApproveByEnricher = "enricher approves",
        RejectByEnricher = "enricher rejects",
        ApproveByOperator = "operator approves",
        RejectByOperator = "operator rejects",
        /// An enrichment that ended without a verdict.
        LeaveUnjudged = "enricher gives no verdict",
        /// A push of content that was judged before, or will be judged again.
        EndReview = "push ends a review",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Moves the posting to the trigger's state, or updates its state.
    Act,
    Stay,
    Refuse,
    /// Refused: only an operator reverses an operator's decision.
    Protect,
}

impl Trigger {
    /// The effect of the trigger in a state. States decided by an operator have their own columns.
    #[expect(clippy::match_same_arms, reason = "each row of the table is one")]
    pub(super) const fn on(self, state: State) -> Effect {
        use Effect::{Act, Protect, Refuse, Stay};
        let column = match state {
            State::Pending { .. } => 0,
            State::Approved { .. } => 1,
            State::Rejected { moderated: false } => 2,
            State::Rejected { moderated: true } => 3,
            State::Expired {
                moderated: false, ..
            } => 4,
            State::Expired {
                moderated: true, ..
            } => 5,
        };
        // Pending, approved, rejected, rejected by an operator, expired, expired by an operator.
        let row = match self {
            Self::Expire => [Act, Act, Refuse, Refuse, Act, Stay],
            Self::ExpireByOperator => [Act, Act, Refuse, Refuse, Act, Stay],
            Self::Lapse => [Act, Act, Stay, Stay, Stay, Stay],
            Self::Reopen => [Stay, Stay, Stay, Protect, Act, Protect],
            Self::Relist => [Stay, Stay, Stay, Stay, Act, Stay],
            Self::ReopenByOperator => [Refuse, Refuse, Refuse, Refuse, Act, Act],
            Self::ApproveByEnricher => [Act, Act, Act, Stay, Stay, Stay],
            Self::RejectByEnricher => [Act, Act, Act, Stay, Stay, Stay],
            Self::ApproveByOperator => [Act, Act, Act, Act, Refuse, Refuse],
            Self::RejectByOperator => [Act, Act, Act, Act, Refuse, Refuse],
            Self::LeaveUnjudged => [Act, Act, Stay, Stay, Stay, Stay],
            Self::EndReview => [Act, Act, Stay, Stay, Stay, Stay],
        };
        row[column]
    }

    /// Whether the console offers the trigger as a command for a posting in this state.
    pub const fn is_offered(self, state: State) -> bool {
        match (self, state) {
            (Self::ApproveByOperator, State::Approved { review, .. }) => review.is_some(),
            (Self::RejectByOperator, State::Rejected { moderated }) => !moderated,
            (Self::ExpireByOperator, State::Expired { .. }) => false,
            _ => matches!(self.on(state), Effect::Act),
        }
    }
}
