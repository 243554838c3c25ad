//! The codes of decisions about postings.

use fields::vocabulary::vocabulary;

use crate::name::name;

name! {
    /// The code of a decision about a posting, for programs.
    DecisionCode
}

impl DecisionCode {
    /// The code of an operator's decision. Its reason is a sentence.
    pub const OPERATOR: Self = Self::new("operator");

    /// Whether the decision was automated.
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

/// The decision that an event reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventDecision {
    /// The code.
    pub code: DecisionCode,
    /// The ground; `None` for an approval.
    pub ground: Option<Ground>,
    /// Whether a reader's report led to it.
    pub by_notice: bool,
}
