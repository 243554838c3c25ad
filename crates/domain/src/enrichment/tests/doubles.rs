//! Stand-ins for the ports: a model that says what it was told to, and rules of a few lines.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use crate::{
    enrichment::{
        Brief, CheckError, Coordinates, Draft, DraftError, EnrichError, EnrichedTexts, Enrichment,
        EnrichmentInput, Exceeded, Model, Objection, ReasonCode, RuleEnricher, StopFlag, Verdict,
    },
    posting::CountryCode,
};

/// The content of a posting of Acmera AS, `https://www.acmera.no`, in Oslo.
pub(crate) fn input(description: &str) -> EnrichmentInput {
    EnrichmentInput {
        title: "Cook".to_owned(),
        raw_description: description.into(),
        country: CountryCode::parse("NO"),
        city: Some("Oslo".to_owned()),
        company_name: "Acmera AS".to_owned(),
        other_names: Vec::new(),
        company_website: "https://www.acmera.no".to_owned(),
        application_url: None,
    }
}

/// A draft that approves.
pub(crate) fn approval(markdown: &str, redacted_markdown: &str) -> Draft {
    Draft {
        markdown: markdown.to_owned(),
        redacted_markdown: redacted_markdown.to_owned(),
        verdict: Verdict::Approve,
        answer: format!("yes: {markdown}"),
    }
}

/// A draft that rejects, without texts.
pub(crate) fn rejection(code: ReasonCode, text: &str) -> Draft {
    Draft {
        markdown: String::new(),
        redacted_markdown: String::new(),
        verdict: Verdict::Reject {
            code,
            text: text.to_owned(),
        },
        answer: format!("no: {text}"),
    }
}

/// A model that gives the answers it was given, in their order, and remembers what it was asked.
/// When there are no more it fails.
#[derive(Debug, Default)]
pub(crate) struct ScriptedModel {
    script: Mutex<Script>,
}

#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<Result<Draft, DraftError>>,
    asked: Vec<Option<Objection>>,
}

impl ScriptedModel {
    /// A model of these answers.
    pub(crate) fn new(answers: impl IntoIterator<Item = Result<Draft, DraftError>>) -> Self {
        let script = Script {
            answers: answers.into_iter().collect(),
            ..Script::default()
        };
        Self {
            script: Mutex::new(script),
        }
    }

    /// What it was asked so far: the objection to its last answer, if there was one.
    pub(crate) fn asked(&self) -> Vec<Option<Objection>> {
        self.script().asked.clone()
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Model for ScriptedModel {
    fn edition(&self) -> &'static str {
        "1 scripted"
    }

    async fn draft(
        &self,
        _brief: &Brief<'_>,
        objection: Option<&Objection>,
    ) -> Result<Draft, DraftError> {
        let mut script = self.script();
        script.asked.push(objection.cloned());
        let nothing = || {
            Err(DraftError::Failed(EnrichError::Retry {
                message: "the model has nothing more to say".to_owned(),
                after: None,
            }))
        };
        script.answers.pop_front().unwrap_or_else(nothing)
    }
}

/// Rules of a few lines: paragraphs lose their tags, and the company of [`input`] is hidden.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlainRules;

/// Where every city is.
pub(crate) const PLACE: Coordinates = Coordinates {
    latitude: 59.9,
    longitude: 10.7,
};

/// What must not show of the company of [`input`].
const SECRETS: [&str; 3] = ["jobs@acmera.no", "acmera.no", "Acmera AS"];

fn clean(text: &str) -> String {
    text.replace("<p>", "")
        .replace("</p>", "")
        .replace('\u{202e}', "")
}

fn redacted(text: &str) -> String {
    let hide = |text: String, secret: &&str| text.replace(*secret, "[hidden]");
    SECRETS.iter().fold(clean(text), hide)
}

impl RuleEnricher for PlainRules {
    /// Refuses a description without a letter.
    fn prepare(&self, input: &EnrichmentInput, _: &StopFlag) -> Result<Enrichment, Exceeded> {
        let markdown = clean(&input.raw_description);
        let verdict = if markdown.contains(char::is_alphanumeric) {
            Verdict::Approve
        } else {
            Verdict::Reject {
                code: ReasonCode::NoContent,
                text: "Nothing in it.".to_owned(),
            }
        };
        Ok(Enrichment {
            texts: EnrichedTexts {
                redacted_markdown: redacted(&markdown),
                redacted_title: None,
                markdown,
            },
            coordinates: input.city.is_some().then_some(PLACE),
            verdict,
        })
    }

    fn texts(
        &self,
        draft: &Draft,
        _: &EnrichmentInput,
        _: &StopFlag,
    ) -> Result<EnrichedTexts, Exceeded> {
        Ok(EnrichedTexts {
            markdown: clean(&draft.markdown),
            redacted_markdown: redacted(&draft.redacted_markdown),
            redacted_title: None,
        })
    }

    fn faults(&self, draft: &Draft, _: &Brief<'_>, _: &StopFlag) -> Result<Vec<String>, Exceeded> {
        let is_approved = draft.verdict == Verdict::Approve;
        let faults = [
            (
                is_approved && draft.markdown.is_empty(),
                "`markdown` is empty.",
            ),
            (
                draft.markdown.contains("evil.example"),
                "`markdown` has an address of its own.",
            ),
            (
                draft.redacted_markdown.contains("<b>"),
                "`redacted_markdown` has raw HTML.",
            ),
        ];
        let found = faults.into_iter().filter(|(is_there, _)| *is_there);
        Ok(found.map(|(_, fault)| fault.to_owned()).collect())
    }

    fn detail(&self, text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn check(
        &self,
        enrichment: &Enrichment,
        _: &EnrichmentInput,
        _: &StopFlag,
    ) -> Result<(), CheckError> {
        let EnrichedTexts {
            markdown,
            redacted_markdown,
            ..
        } = &enrichment.texts;
        let broken = if SECRETS
            .iter()
            .any(|secret| redacted_markdown.contains(secret))
        {
            "the redacted text shows the company"
        } else if markdown.contains('\u{202e}') {
            "the text turns the direction of writing"
        } else if enrichment.verdict == Verdict::Approve && markdown.trim().is_empty() {
            "the posting is approved, but the text is empty"
        } else {
            return Ok(());
        };
        Err(CheckError::Breach(broken.to_owned()))
    }
}
