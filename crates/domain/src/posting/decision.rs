//! The newest decision whether a posting may be shown, with its reasons, as readers see it.

use kernel::{DecisionCode, audit::Operator, vocabulary};
use time::OffsetDateTime;

use super::{DecidedBy, Enrichment, Verdict};

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
    }
}

/// A decision whether a posting may be shown. It stays when the posting expires or is reopened,
/// until there is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The outcome.
    pub outcome: DecisionOutcome,
    /// The time.
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
}

impl Decision {
    /// The decision that an enricher's verdict is.
    pub fn of_enrichment(enrichment: &Enrichment, at: OffsetDateTime) -> Self {
        let by = enrichment.by.clone();
        match &enrichment.verdict {
            Verdict::Approve => Self {
                outcome: DecisionOutcome::Approved,
                at,
                by,
                code: NO_OBJECTION,
                sentence: NOTHING_AGAINST.to_owned(),
                passages: Vec::new(),
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
                passages: shortened(passages),
            },
        }
    }

    /// An operator's decision: a rejection if there is a reason, which an approval needs not.
    pub fn of_operator(by: Option<Operator>, reason: Option<&str>, at: OffsetDateTime) -> Self {
        let outcome = match reason {
            Some(_) => DecisionOutcome::Rejected,
            None => DecisionOutcome::Approved,
        };
        Self {
            outcome,
            at,
            by: DecidedBy::Operator(by),
            code: DecisionCode::OPERATOR,
            sentence: cut(reason.unwrap_or(OPERATOR_APPROVED), LONGEST_SENTENCE),
            passages: Vec::new(),
        }
    }
}

fn shortened(passages: &[String]) -> Vec<String> {
    let passages = passages.iter().take(MOST_PASSAGES);
    passages
        .map(|passage| cut(passage, LONGEST_PASSAGE))
        .collect()
}

fn cut(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}

#[cfg(test)]
mod tests {
    use kernel::testing::{by_ann, noon};

    use super::*;
    use crate::posting::ReasonCode;

    #[test]
    fn an_enrichers_verdict_is_a_decision() {
        let rules = DecidedBy::Rules("1".to_owned());
        let approved = Enrichment {
            by: rules.clone(),
            ..Enrichment::bare()
        };
        let expect = Decision {
            outcome: DecisionOutcome::Approved,
            at: noon(),
            by: rules,
            code: DecisionCode::new("no_objection"),
            sentence: "Nothing was found that speaks against showing the posting.".to_owned(),
            passages: Vec::new(),
        };
        assert_eq!(Decision::of_enrichment(&approved, noon()), expect);
        let rejected = Enrichment {
            by: DecidedBy::Model("gpt v3".to_owned()),
            verdict: Verdict::Reject {
                code: ReasonCode::Spam,
                text: "é".repeat(1_001),
                passages: vec!["ü".repeat(301); 4],
            },
            ..Enrichment::bare()
        };
        let decision = Decision::of_enrichment(&rejected, noon());
        assert_eq!(decision.outcome, DecisionOutcome::Rejected);
        assert_eq!(decision.by.version(), Some("gpt v3"));
        assert_eq!(decision.code.as_str(), "spam");
        assert!(decision.code.is_automated());
        assert_eq!(decision.sentence, "é".repeat(1_000));
        assert_eq!(decision.passages, vec!["ü".repeat(300); 3]);
    }

    #[test]
    fn an_operators_word_is_a_decision() {
        let by = || Some(by_ann(1).operator);
        let rejected = Decision::of_operator(by(), Some("a pyramid scheme"), noon());
        assert_eq!(rejected.outcome, DecisionOutcome::Rejected);
        assert_eq!(rejected.by.to_string(), "operator:ann");
        assert_eq!(rejected.by.version(), None);
        assert_eq!(rejected.code.as_str(), "operator");
        assert!(!rejected.code.is_automated());
        assert_eq!(rejected.sentence, "a pyramid scheme");
        let approved = Decision::of_operator(by(), None, noon());
        assert_eq!(approved.outcome, DecisionOutcome::Approved);
        assert_eq!(approved.sentence, "An operator approved the posting.");
    }
}
