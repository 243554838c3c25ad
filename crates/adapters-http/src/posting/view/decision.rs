//! The decision about a posting in answers.

use domain::posting;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{answer::Timestamp, schema::vocabularies};

vocabularies! {
    /// What was decided.
    DecisionOutcome(posting::DecisionOutcome);
}

/// The newest decision whether the posting may be shown. It stays when the posting expires or is
/// reopened, until there is another one.
#[derive(Serialize, ToSchema)]
pub(super) struct Decision<'a> {
    pub outcome: DecisionOutcome,
    /// When it was decided.
    #[schema(value_type = OffsetDateTime)]
    pub at: Timestamp,
    /// Who decided: `rules`, `model`, `operator:NAME`, or `operator` where content came back that
    /// an operator had approved.
    #[schema(pattern = "^(rules|model|operator|operator:.+)$")]
    pub by: String,
    /// Whether no person decided.
    pub automated: bool,
    /// The version of the rules, or the model's name with the version of its prompt; `null` of an
    /// operator's decision.
    pub version: Option<&'a str>,
    /// The reason, for programs. More may come.
    pub code: &'a str,
    /// The reason, for people.
    #[schema(max_length = 1000)]
    pub sentence: &'a str,
    /// What it rests on, verbatim from the title or the description as its readers see it.
    #[schema(max_items = 3)]
    pub passages: &'a [String],
    /// Where the decision can be contested, if the board says so.
    pub appeal: Option<&'a str>,
}

impl<'a> Decision<'a> {
    pub fn new(decision: &'a posting::Decision, appeal: Option<&'a str>) -> Self {
        Self {
            outcome: DecisionOutcome(decision.outcome),
            at: Timestamp(decision.at),
            by: decision.by.to_string(),
            automated: decision.code.is_automated(),
            version: decision.by.version(),
            code: decision.code.as_str(),
            sentence: &decision.sentence,
            passages: &decision.passages,
            appeal,
        }
    }
}
