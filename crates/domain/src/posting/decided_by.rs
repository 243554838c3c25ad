//! Who or what decides about a posting.

use std::fmt;

use kernel::{Actor, audit::Operator};

/// Who decides, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// Rules, of this version.
    Rules(String),
    /// A model, by its name with the version of its prompt.
    Model(String),
    /// A person. Without a name where an operator's approval came back with the content that it
    /// was for.
    Operator(Option<Operator>),
}

impl DecidedBy {
    /// The version of the rules, or the model's name with the version of its prompt.
    pub fn version(&self) -> Option<&str> {
        match self {
            Self::Rules(version) | Self::Model(version) => Some(version),
            Self::Operator(_) => None,
        }
    }

    /// Reads what a store has: the [name](Self::fmt) and the [version](Self::version).
    pub fn from_store(name: &str, version: Option<String>) -> Option<Self> {
        match (name, version) {
            ("rules", Some(version)) => Some(Self::Rules(version)),
            ("model", Some(version)) => Some(Self::Model(version)),
            (name, None) => match name.parse() {
                Ok(Actor::Operator(name)) => Some(Self::Operator(name)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// `rules`, `model`, `operator:NAME` or `operator`.
impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules(_) => f.write_str("rules"),
            Self::Model(_) => f.write_str("model"),
            Self::Operator(name) => Actor::Operator(name.clone()).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::by_ann;

    use super::*;

    #[test]
    fn who_decides_is_read_as_it_was_written() {
        for by in [
            DecidedBy::Rules("1".to_owned()),
            DecidedBy::Model("gpt v3".to_owned()),
            DecidedBy::Operator(None),
            DecidedBy::Operator(Some(by_ann(1).operator)),
        ] {
            let version = by.version().map(str::to_owned);
            assert_eq!(DecidedBy::from_store(&by.to_string(), version), Some(by));
        }
        for (name, version) in [("rules", None), ("enricher", None), ("operator", Some("1"))] {
            let version = version.map(str::to_owned);
            assert_eq!(DecidedBy::from_store(name, version), None);
        }
    }
}
