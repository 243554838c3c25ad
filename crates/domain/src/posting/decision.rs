//! The decisions about a posting, and who makes them.

use std::fmt;

use fields::vocabulary;
pub use kernel::Ground;
use kernel::{Actor, DecisionCode, EventDecision, Operator, PostingId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::ReasonCode;

/// The largest number of passages of a decision.
pub const MOST_PASSAGES: usize = 3;
/// The longest passage in characters. A longer passage is cut, without a mark, so that it stays
/// verbatim.
pub const LONGEST_PASSAGE: usize = 300;
/// The longest sentence in characters.
pub const LONGEST_SENTENCE: usize = 1_000;

/// The code of an approval by rules or a model.
pub const NO_OBJECTION: DecisionCode = DecisionCode::new("no_objection");
const NOTHING_AGAINST: &str = "Nothing was found that speaks against showing the posting.";
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
    /// The state of a client's objection to a decision.
    ObjectionState {
        /// It waits for an operator.
        Waiting = "waiting",
        /// An operator upheld the decision.
        Upheld = "upheld",
        /// An operator reversed the decision.
        Reversed = "reversed",
    }
}

/// A client's objection to a rejection or a removal: at most one per decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objection {
    /// The time.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// The time of the contested decision. After a reversal, a newer decision has the objection.
    #[serde(with = "time::serde::rfc3339")]
    pub against: OffsetDateTime,
    /// The client's words, for operators.
    pub statement: String,
    /// Its state.
    pub state: ObjectionState,
    /// The operator's answer.
    pub sentence: Option<String>,
}

/// Who decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DecidedBy {
    /// Rules, of this version.
    Rules(String),
    /// A model: its name and prompt version.
    Model(String),
    /// An operator; `None` if content that an operator had approved was pushed again.
    Operator(Option<Operator>),
}

impl DecidedBy {
    /// The rules' version, or the model's name and prompt version.
    pub fn version(&self) -> Option<&str> {
        match self {
            Self::Rules(version) | Self::Model(version) => Some(version),
            Self::Operator(_) => None,
        }
    }

    /// Reads a stored [name](Self::fmt) and [version](Self::version).
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
    /// The posting may be shown.
    Approve,
    /// The posting must not be shown.
    Reject {
        /// The reason, for programs.
        code: ReasonCode,
        /// The reason, in a sentence.
        text: String,
        /// The passages that led to it, verbatim from the posting as shown.
        passages: Vec<String>,
    },
}

/// A decision whether a posting may be shown, valid until the next decision.
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
    /// Verbatim parts of the posting: at most [`MOST_PASSAGES`] of [`LONGEST_PASSAGE`] characters.
    pub passages: Vec<String>,
    /// The ground; `None` for an approval.
    pub ground: Option<Ground>,
    /// Whether a reader's report led to it.
    pub by_notice: bool,
    /// The client's objection to this decision, or to the decision that this one reverses.
    pub objection: Option<Objection>,
}

impl Decision {
    /// The decision as an event shows it.
    pub fn for_event(&self) -> EventDecision {
        EventDecision {
            code: self.code.clone(),
            ground: self.ground,
            by_notice: self.by_notice,
        }
    }

    /// The record that outlives the posting; `None` for an approval.
    pub fn record(&self, posting: PostingId) -> Option<Statement> {
        Some(Statement {
            posting,
            at: self.at,
            outcome: self.outcome,
            ground: self.ground?,
            code: self.code.clone(),
            by_notice: self.by_notice,
            objection: self.objection.as_ref().map(|it| it.state),
        })
    }

    /// The decision by an enricher's verdict.
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
                by_notice: false,
                objection: None,
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
                by_notice: false,
                objection: None,
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
            by_notice: false,
            objection: None,
        }
    }

    /// An operator's statement about a rejected or removed posting.
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

/// A transparency report's record of a rejection or removal, without the posting's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The posting.
    pub posting: PostingId,
    /// The time of the decision, unique for a posting.
    pub at: OffsetDateTime,
    /// The outcome.
    pub outcome: DecisionOutcome,
    /// The ground.
    pub ground: Ground,
    /// The reason, for programs.
    pub code: DecisionCode,
    /// Whether a reader's report led to it.
    pub by_notice: bool,
    /// The state of the client's objection, if there is one.
    pub objection: Option<ObjectionState>,
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
