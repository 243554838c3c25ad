//! Stand-ins for the ports: a model that says what it was told to, and rules of a few lines.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use kernel::codes::CountryCode;

use crate::enrichment::{
    Brief, CheckError, Coordinates, Draft, DraftError, EnrichError, EnrichedTexts, Enrichment,
    EnrichmentInput, Exceeded, Model, Objection, Phrase, PhraseKind, ReasonCode, RuleEnricher,
    StopFlag, Verdict,
};

/// The content of a posting of Acmera AS, `https://www.acmera.no`, in Oslo.
pub(crate) fn input(description: &str) -> EnrichmentInput {
    EnrichmentInput {
        posting: None,
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

/// A draft that approves, with phrases to hide.
pub(crate) fn approval(hide: &[(&str, PhraseKind)]) -> Draft {
    let phrase = |(text, kind): &(&str, PhraseKind)| Phrase {
        text: (*text).to_owned(),
        kind: *kind,
    };
    Draft {
        verdict: Verdict::Approve,
        hide: hide.iter().map(phrase).collect(),
        answer: format!("yes: {hide:?}"),
    }
}

/// A draft that rejects.
pub(crate) fn rejection(code: ReasonCode, text: &str) -> Draft {
    Draft {
        verdict: Verdict::Reject {
            code,
            text: text.to_owned(),
        },
        hide: Vec::new(),
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
            sketch: None,
        })
    }

    fn complete(
        &self,
        draft: &Draft,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Result<Enrichment, Vec<String>>, Exceeded> {
        let mut done = self.prepare(input, stop)?;
        done.verdict = draft.verdict.clone();
        let mut faults = Vec::new();
        for Phrase { text, .. } in &draft.hide {
            if !done.texts.markdown.contains(text.as_str()) {
                faults.push(format!("`{text}` is not there."));
            }
            done.texts.redacted_markdown = done.texts.redacted_markdown.replace(text, "[more]");
        }
        if matches!(&draft.verdict, Verdict::Reject { text, .. } if text.is_empty()) {
            faults.push("The rejection has no sentence.".to_owned());
        }
        Ok(if faults.is_empty() {
            Ok(done)
        } else {
            Err(faults)
        })
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
