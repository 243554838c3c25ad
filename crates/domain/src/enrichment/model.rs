//! The port to a language model that writes texts and judges: its input, its answer, and the
//! objection to a useless answer.
//!
//! A model is not trusted: [`super::Pipeline`] checks its drafts against rules.

use std::borrow::Cow;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{EnrichError, EnrichmentInput, ReasonCode, Verdict};

/// The input of a model.
#[derive(Clone, Copy, Debug)]
pub struct Brief<'a> {
    /// The posting.
    pub input: &'a EnrichmentInput,
    /// The description as clean `CommonMark`, for the model to read.
    pub markdown: &'a str,
}

/// A model's draft for a posting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The description as `CommonMark`.
    pub markdown: String,
    /// The same without anything that identifies the company or bypasses the board.
    pub redacted_markdown: String,
    /// The judgement.
    pub verdict: Verdict,
    /// The answer as the model gave it, to be shown back if it is of no use.
    pub answer: String,
}

/// An answer that was of no use, and why. A model is asked again with it, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The model's answer.
    pub answer: String,
    /// The faults of that answer, in sentences for the model.
    pub faults: Vec<String>,
}

/// The reason why there is no draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftError {
    /// The model answered, but no draft. Asking again may help.
    Unusable(Objection),
    /// The model did not answer, or will not.
    Failed(EnrichError),
}

impl From<EnrichError> for DraftError {
    fn from(error: EnrichError) -> Self {
        Self::Failed(error)
    }
}

/// The port that models implement.
#[async_trait]
pub trait Model: Send + Sync {
    /// The instructions and the model's name, which drafts depend on besides the posting.
    fn edition(&self) -> &str;

    /// Writes a draft. `objection` concerns the last answer for the same posting.
    async fn draft(
        &self,
        brief: &Brief<'_>,
        objection: Option<&Objection>,
    ) -> Result<Draft, DraftError>;
}

/// The stored form of a draft.
#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    markdown: Cow<'a, str>,
    redacted_markdown: Cow<'a, str>,
    #[serde(flatten)]
    verdict: KeptVerdict<'a>,
}

/// The stored verdict, always explicit: an absent one must not read as an approval.
#[derive(Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
enum KeptVerdict<'a> {
    Approve,
    Reject {
        code: Cow<'a, str>,
        text: Cow<'a, str>,
    },
}

impl Draft {
    /// The draft as JSON, to be kept. The answer is not part of it.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let verdict = match &self.verdict {
            Verdict::Approve => KeptVerdict::Approve,
            Verdict::Reject { code, text } => KeptVerdict::Reject {
                code: code.as_str().into(),
                text: text.into(),
            },
        };
        serde_json::to_string(&Kept {
            markdown: (&self.markdown).into(),
            redacted_markdown: (&self.redacted_markdown).into(),
            verdict,
        })
    }

    /// Reads a stored draft; `None` for another program's format. `answer` is set to the JSON
    /// itself.
    pub fn from_json(json: &str) -> Option<Self> {
        let kept: Kept<'_> = serde_json::from_str(json).ok()?;
        let verdict = match kept.verdict {
            KeptVerdict::Approve => Verdict::Approve,
            KeptVerdict::Reject { code, text } => Verdict::Reject {
                code: ReasonCode::of_model(&code)?,
                text: text.into_owned(),
            },
        };
        Some(Self {
            markdown: kept.markdown.into_owned(),
            redacted_markdown: kept.redacted_markdown.into_owned(),
            verdict,
            answer: json.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::enrichment::tests::doubles::{approval, rejection};

    fn round_trip(draft: &Draft) {
        let json = draft.to_json().unwrap();
        let expect = Draft {
            answer: json.clone(),
            ..draft.clone()
        };
        assert_eq!(Draft::from_json(&json), Some(expect), "{json}");
    }

    #[test]
    fn every_verdict_comes_back() {
        round_trip(&approval("# A\n", "\"\\"));
        for code in ReasonCode::OF_MODELS {
            round_trip(&rejection(code, "Because.\n"));
        }
    }

    #[test]
    fn how_it_is_kept() {
        assert_eq!(
            approval("a", "b").to_json().unwrap(),
            r#"{"markdown":"a","redacted_markdown":"b","verdict":"approve"}"#
        );
        let mut draft = rejection(ReasonCode::Fraud, "c");
        draft.markdown = "a".to_owned();
        assert_eq!(
            draft.to_json().unwrap(),
            r#"{"markdown":"a","redacted_markdown":"","verdict":"reject","code":"fraud","text":"c"}"#
        );
    }

    #[test]
    fn what_is_no_draft_does_not_come_back() {
        for json in [
            "",
            "{}",
            "null",
            r#"{"markdown":"a","redacted_markdown":"b"}"#,
            r#"{"markdown":"a","redacted_markdown":"b","verdict":"perhaps"}"#,
            r#"{"markdown":"a","verdict":"approve"}"#,
            r#"{"markdown":"a","redacted_markdown":"b","verdict":"reject"}"#,
            r#"{"markdown":"a","redacted_markdown":"b","verdict":"reject","code":"spam"}"#,
            r#"{"markdown":"a","redacted_markdown":"b","verdict":"reject","code":"Spam","text":"c"}"#,
            r#"{"markdown":"a","redacted_markdown":"b","verdict":"reject","code":"odd","text":"c"}"#,
            r#"{"markdown":"a","redacted_markdown":"b","verdict":"reject","code":"too_complex","text":"c"}"#,
        ] {
            assert_eq!(Draft::from_json(json), None, "{json}");
        }
    }

    proptest! {
        #[test]
        fn any_draft_comes_back(
            markdown in any::<String>(),
            redacted in any::<String>(),
            text in any::<String>(),
            code in prop::sample::select(ReasonCode::OF_MODELS.to_vec()),
        ) {
            round_trip(&approval(&markdown, &redacted));
            round_trip(&rejection(code, &text));
        }
    }
}
