//! The codes of decisions about postings.

use std::{borrow::Cow, fmt};

/// The code of a decision about a posting, for programs. Contexts declare those that they give;
/// stores accept any.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DecisionCode(Cow<'static, str>);

impl DecisionCode {
    /// An operator decided, and gives the reason in words.
    pub const OPERATOR: Self = Self::new("operator");

    /// Declares a code by its name.
    pub const fn new(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Wraps a stored code.
    pub const fn from_store(name: String) -> Self {
        Self(Cow::Owned(name))
    }

    /// The code's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether no person decided.
    pub fn is_automated(&self) -> bool {
        *self != Self::OPERATOR
    }
}

impl fmt::Display for DecisionCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
