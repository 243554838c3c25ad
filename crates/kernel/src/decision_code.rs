//! The codes of decisions about postings.

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
