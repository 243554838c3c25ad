//! Who judges whether a posting may be shown, and the newest decision, as readers see it.

use std::fmt;

use fields::vocabulary;
use kernel::{Actor, DecisionCode, Operator};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::ReasonCode;

/// The most passages of a decision.
pub const MOST_PASSAGES: usize = 3;
/// The longest passage, in characters. A longer one is cut, so that it stays verbatim.
pub const LONGEST_PASSAGE: usize = 300;
/// The longest sentence, in characters.
pub const LONGEST_SENTENCE: usize = 1_000;

/// The code of an approval by rules or a model.
pub const NO_OBJECTION: DecisionCode = DecisionCode::new("no_objection");
/// The sentence of an approval by rules or a model.
const NOTHING_AGAINST: &str = "Nothing was found that speaks against showing the posting.";
/// The sentence of an operator's approval.
const OPERATOR_APPROVED: &str = "An operator approved the posting.";

vocabulary! {
    /// The outcome of a decision.
    DecisionOutcome {
        /// The posting may be shown.
        Approved = "approved",
        /// It must not be shown.
        Rejected = "rejected",
        /// An operator took it down.
        Removed = "removed",
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

/// Who decides, and by what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// An enricher's judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// May be shown.
    Approve,
    /// Must not be shown.
    Reject {
        /// The reason, for programs.
        code: ReasonCode,
        /// The reason, in a sentence.
        text: String,
        /// What it rests on, verbatim from the posting as its readers see it.
        passages: Vec<String>,
    },
}

/// A decision whether a posting may be shown. It stays when the posting expires or is reopened,
/// until there is another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The outcome.
    pub outcome: DecisionOutcome,
    /// The time.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Who decided.
    pub by: DecidedBy,
    /// The reason, for programs.
    pub code: DecisionCode,
    /// The reason, at most [`LONGEST_SENTENCE`] characters.
    pub sentence: String,
    /// What it rests on, verbatim from the posting as its readers see it: at most
    /// [`MOST_PASSAGES`], of at most [`LONGEST_PASSAGE`] characters.
    pub passages: Vec<String>,
    /// The ground; `None` of an approval.
    pub ground: Option<Ground>,
}

impl Decision {
    /// The decision that an enricher's verdict is.
    pub fn of_verdict(verdict: &Verdict, by: DecidedBy, at: OffsetDateTime) -> Self {
        match verdict {
            Verdict::Approve => Self {
                outcome: DecisionOutcome::Approved,
                at,
                by,
                code: NO_OBJECTION,
                sentence: NOTHING_AGAINST.to_owned(),
                passages: Vec::new(),
                ground: None,
            },
            Verdict::Reject {
                code,
                text,
                passages,
            } => Self {
                outcome: DecisionOutcome::Rejected,
                at,
                by,
                code: DecisionCode::new(code.as_str()),
                sentence: cut(text, LONGEST_SENTENCE),
                passages: (passages.iter().take(MOST_PASSAGES))
                    .map(|passage| cut(passage, LONGEST_PASSAGE))
                    .collect(),
                ground: Some(Ground::Terms),
            },
        }
    }

    /// An operator's approval.
    pub fn approval(by: Option<Operator>, at: OffsetDateTime) -> Self {
        Self {
            outcome: DecisionOutcome::Approved,
            at,
            by: DecidedBy::Operator(by),
            code: DecisionCode::OPERATOR,
            sentence: OPERATOR_APPROVED.to_owned(),
            passages: Vec::new(),
            ground: None,
        }
    }

    /// An operator's statement on a posting that is rejected or removed.
    pub fn statement(
        outcome: DecisionOutcome,
        reason: &str,
        ground: Ground,
        by: Option<Operator>,
        at: OffsetDateTime,
    ) -> Self {
        Self {
            outcome,
            sentence: cut(reason, LONGEST_SENTENCE),
            ground: Some(ground),
            ..Self::approval(by, at)
        }
    }
}

fn cut(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}

#[cfg(test)]
mod tests {
    use kernel::testing::{by_ann, noon};

    use super::*;

    #[test]
    fn a_long_verdict_is_cut() {
        let verdict = Verdict::Reject {
            code: ReasonCode::Spam,
            text: "é".repeat(1_001),
            passages: vec!["ü".repeat(301); 4],
        };
        let by = DecidedBy::Model("gpt v3".to_owned());
        let decision = Decision::of_verdict(&verdict, by, noon());
        assert_eq!(decision.outcome, DecisionOutcome::Rejected);
        assert_eq!(decision.by.version(), Some("gpt v3"));
        assert_eq!(decision.code.as_str(), "spam");
        assert!(decision.code.is_automated());
        assert_eq!(decision.sentence, "é".repeat(1_000));
        assert_eq!(decision.passages, vec!["ü".repeat(300); 3]);
    }

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
