//! The codes of decisions about postings.

use fields::vocabulary::vocabulary;

use crate::name::name;

name! {
    /// The code of a decision about a posting, for programs.
    DecisionCode
}

impl DecisionCode {
    /// An operator decided, and gives the reason in words.
    pub const OPERATOR: Self = Self::new("operator");

    /// Whether no person decided.
    pub fn is_automated(&self) -> bool {
        *self != Self::OPERATOR
    }
}

vocabulary! {
    /// The ground of a rejection or a removal.
    #[derive(Default)]
    Ground {
        /// The terms of the board.
        #[default]
        Terms = "terms",
        /// The law.
        Law = "law",
    }
}

/// What an event says of the decision that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The code.
    pub code: DecisionCode,
    /// The ground; `None` of an approval.
    pub ground: Option<Ground>,
    /// Whether a report of a reader led to it.
    pub by_notice: bool,
}
