//! The port to a language model that judges a posting and says what to hide of it: its input, its
//! answer, and the objection to a useless answer.
//!
//! A model is not trusted: texts are made by rules, which also check what it would hide.

use std::borrow::Cow;

use async_trait::async_trait;
use kernel::codes::CountryCode;
use serde::{Deserialize, Serialize};

use super::{EnrichError, EnrichmentInput, ReasonCode, Verdict};

/// The input of a model, which sees nothing else of a posting.
#[derive(Clone, Copy, Debug)]
pub struct Brief<'a> {
    /// The posting's title.
    pub title: &'a str,
    /// The description as clean `CommonMark`.
    pub markdown: &'a str,
    /// Country of the workplace.
    pub country: Option<CountryCode>,
    /// City of the workplace.
    pub city: Option<&'a str>,
    /// The company's name.
    pub company_name: &'a str,
}

impl<'a> Brief<'a> {
    /// The input for a posting whose description reads like this.
    pub fn of(input: &'a EnrichmentInput, markdown: &'a str) -> Self {
        Self {
            title: &input.title,
            markdown,
            country: input.country,
            city: input.city.as_deref(),
            company_name: &input.company_name,
        }
    }
}

/// A model's draft for a posting: it decides about the verdict, and rules about the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The judgement.
    pub verdict: Verdict,
    /// What to hide, beside what rules find. A rejection needs nothing.
    pub hide: Vec<Phrase>,
    /// The answer as the model gave it, to be shown back if it is of no use.
    pub answer: String,
}

/// Words of a posting that identify the company or lead past the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The words, letter for letter.
    pub text: String,
    /// Their kind.
    pub kind: PhraseKind,
}

/// The kind of a phrase to hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhraseKind {
    /// The company's name, in any form.
    Company,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A URL or a domain.
    Link,
    /// A person whom readers may ask.
    Person,
    /// A street address.
    Address,
    /// A number of a register, a tax office or a bank.
    Id,
    /// A name in a messenger or a network.
    Handle,
}

impl PhraseKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Company,
        Self::Email,
        Self::Phone,
        Self::Link,
        Self::Person,
        Self::Address,
        Self::Id,
        Self::Handle,
    ];

    /// The kind's name in models' answers, as in its token.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Company => "company",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Link => "link",
            Self::Person => "person",
            Self::Address => "address",
            Self::Id => "id",
            Self::Handle => "handle",
        }
    }

    /// Parses a kind by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
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

    /// Asks for a draft. `objection` concerns the last answer for the same posting.
    async fn draft(
        &self,
        brief: &Brief<'_>,
        objection: Option<&Objection>,
    ) -> Result<Draft, DraftError>;
}

/// The stored form of a draft.
#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    #[serde(flatten)]
    verdict: KeptVerdict<'a>,
    hide: Vec<KeptPhrase<'a>>,
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

#[derive(Serialize, Deserialize)]
struct KeptPhrase<'a> {
    text: Cow<'a, str>,
    kind: Cow<'a, str>,
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
        let hide = self.hide.iter().map(|phrase| KeptPhrase {
            text: (&phrase.text).into(),
            kind: phrase.kind.as_str().into(),
        });
        serde_json::to_string(&Kept {
            verdict,
            hide: hide.collect(),
        })
    }

    /// Reads a stored draft; `None` for the format of another program or version. `answer` is set
    /// to the JSON itself.
    pub fn from_json(json: &str) -> Option<Self> {
        let kept: Kept<'_> = serde_json::from_str(json).ok()?;
        let verdict = match kept.verdict {
            KeptVerdict::Approve => Verdict::Approve,
            KeptVerdict::Reject { code, text } => Verdict::Reject {
                code: ReasonCode::of_model(&code)?,
                text: text.into_owned(),
            },
        };
        let phrase = |kept: KeptPhrase<'_>| {
            let kind = PhraseKind::parse(&kept.kind)?;
            let text = kept.text.into_owned();
            Some(Phrase { text, kind })
        };
        Some(Self {
            verdict,
            hide: kept.hide.into_iter().map(phrase).collect::<Option<_>>()?,
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
    fn every_verdict_and_kind_comes_back() {
        for kind in PhraseKind::ALL {
            round_trip(&approval(&[("\"\\", kind), ("# A\n", kind)]));
        }
        for code in ReasonCode::OF_MODELS {
            round_trip(&rejection(code, "Because.\n"));
        }
    }

    #[test]
    fn how_it_is_kept() {
        assert_eq!(
            approval(&[("a", PhraseKind::Company)]).to_json().unwrap(),
            r#"{"verdict":"approve","hide":[{"text":"a","kind":"company"}]}"#
        );
        assert_eq!(
            rejection(ReasonCode::Fraud, "c").to_json().unwrap(),
            r#"{"verdict":"reject","code":"fraud","text":"c","hide":[]}"#
        );
    }

    #[test]
    fn what_is_no_draft_does_not_come_back() {
        for json in [
            "",
            "{}",
            "null",
            r#"{"hide":[]}"#,
            r#"{"verdict":"approve"}"#,
            r#"{"verdict":"perhaps","hide":[]}"#,
            r#"{"verdict":"approve","hide":[{"text":"a"}]}"#,
            r#"{"verdict":"approve","hide":[{"text":"a","kind":"odd"}]}"#,
            r#"{"verdict":"reject","hide":[]}"#,
            r#"{"verdict":"reject","code":"spam","hide":[]}"#,
            r#"{"verdict":"reject","code":"Spam","text":"c","hide":[]}"#,
            r#"{"verdict":"reject","code":"odd","text":"c","hide":[]}"#,
            r#"{"verdict":"reject","code":"too_complex","text":"c","hide":[]}"#,
            // Those of earlier versions, with texts.
            r#"{"markdown":"a","redacted_markdown":"b","verdict":"approve"}"#,
            r#"{"markdown":"a","redacted_markdown":"b","verdict":"reject","code":"spam","text":"c"}"#,
        ] {
            assert_eq!(Draft::from_json(json), None, "{json}");
        }
    }

    proptest! {
        #[test]
        fn any_draft_comes_back(
            words in any::<String>(),
            kind in prop::sample::select(PhraseKind::ALL.to_vec()),
            text in any::<String>(),
            code in prop::sample::select(ReasonCode::OF_MODELS.to_vec()),
        ) {
            round_trip(&approval(&[(&words, kind)]));
            round_trip(&rejection(code, &text));
        }
    }
}
