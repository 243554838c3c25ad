//! The draft of a model, and the form in which it is stored.

use domain::posting::{ReasonCode, Verdict};
use posting_text::redact;
use serde::{Deserialize, Serialize};

use super::{PhraseKind, model_code};

/// A model's draft for a posting. Rules check everything but the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// Approval or rejection.
    #[serde(flatten, with = "StoredVerdict")]
    pub verdict: Verdict,
    /// The phrases to hide, in addition to those that rules find. Empty for a rejection.
    pub hide: Vec<Phrase>,
    /// The model's own answer, which is sent back if it is unusable.
    #[serde(skip)]
    pub answer: String,
}

/// Words of a posting that identify the company or bypass the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phrase {
    /// The words, letter for letter.
    pub text: String,
    /// The kind of these words.
    #[serde(with = "word")]
    pub kind: PhraseKind,
}

impl<'a> From<&'a Phrase> for redact::Phrase<'a> {
    fn from(phrase: &'a Phrase) -> Self {
        Self {
            text: &phrase.text,
            kind: phrase.kind,
        }
    }
}

/// Parses the name of a kind of phrase.
pub fn phrase_kind(name: &str) -> Option<PhraseKind> {
    PhraseKind::ALL.into_iter().find(|kind| kind.name() == name)
}

impl Draft {
    /// The draft as JSON, for the cache. It does not contain the answer.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Reads a stored draft. `None` for the format of another program or version. `answer` is set
    /// to the JSON itself.
    pub fn from_json(json: &str) -> Option<Self> {
        let answer = json.to_owned();
        let draft: Self = serde_json::from_str(json).ok()?;
        Some(Self { answer, ..draft })
    }
}

/// The stored verdict. It is always explicit: a missing verdict must not be read as an approval.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Verdict", tag = "verdict", rename_all = "snake_case")]
enum StoredVerdict {
    Approve,
    Reject {
        #[serde(with = "word")]
        code: ReasonCode,
        text: String,
        #[serde(default)]
        passages: Vec<String>,
    },
}

trait Word: Copy {
    fn name(self) -> &'static str;
    fn named(name: &str) -> Option<Self>;
}

impl Word for ReasonCode {
    fn name(self) -> &'static str {
        self.as_str()
    }

    fn named(name: &str) -> Option<Self> {
        model_code(name)
    }
}

impl Word for PhraseKind {
    fn name(self) -> &'static str {
        Self::name(self)
    }

    fn named(name: &str) -> Option<Self> {
        phrase_kind(name)
    }
}

mod word {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Word;

    pub fn serialize<T: Word, S: Serializer>(word: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(word.name())
    }

    pub fn deserialize<'a, T: Word, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
        let name = String::deserialize(from)?;
        T::named(&name).ok_or_else(|| D::Error::custom("not a word of the list"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        MODEL_CODES,
        tests::{approval, rejection},
    };

    fn round_trip(draft: &Draft) {
        let json = draft.to_json().unwrap();
        let expect = Draft {
            answer: json.clone(),
            ..draft.clone()
        };
        assert_eq!(Draft::from_json(&json), Some(expect), "{json}");
    }

    #[test]
    fn how_it_is_kept() {
        assert_eq!(
            approval(&[("a", PhraseKind::Company)]).to_json().unwrap(),
            r#"{"verdict":"approve","hide":[{"text":"a","kind":"company"}]}"#
        );
        assert_eq!(
            rejection(ReasonCode::Fraud, "c").to_json().unwrap(),
            r#"{"verdict":"reject","code":"fraud","text":"c","passages":[],"hide":[]}"#
        );
    }

    #[test]
    fn other_formats_are_no_draft() {
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
            // Drafts of earlier versions, with texts.
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
            code in prop::sample::select(MODEL_CODES.to_vec()),
        ) {
            round_trip(&approval(&[(&words, kind)]));
            round_trip(&rejection(code, &text));
        }
    }
}
