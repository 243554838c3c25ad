//! For tests of whatever enriches: an author who says what it was told to, and a craft of few
//! words.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use crate::{
    enrichment::{
        Author, Brief, Budget, Coordinates, Craft, Draft, DraftError, EnrichError, EnrichedTexts,
        Enrichment, EnrichmentInput, Exceeded, Objection, ReasonCode, Verdict,
        rules::{
            Secrets,
            reading::{Reading, SEPARATOR},
        },
    },
    posting::CountryCode,
};

/// The content of a posting of Acmera AS, `https://www.acmera.no`, in Oslo.
pub fn input(description: &str) -> EnrichmentInput {
    EnrichmentInput {
        title: "Cook".to_owned(),
        raw_description: description.into(),
        country: CountryCode::parse("NO"),
        city: Some("Oslo".to_owned()),
        company_name: "Acmera AS".to_owned(),
        company_website: "https://www.acmera.no".to_owned(),
    }
}

/// A draft that approves.
pub fn approval(markdown: &str, redacted_markdown: &str) -> Draft {
    Draft {
        markdown: markdown.to_owned(),
        redacted_markdown: redacted_markdown.to_owned(),
        verdict: Verdict::Approve,
        answer: format!("yes: {markdown}"),
    }
}

/// A draft that rejects, without texts.
pub fn rejection(code: ReasonCode, text: &str) -> Draft {
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

/// An author who gives the answers it was given, in their order, and remembers what it was asked.
/// When there are no more it fails.
#[derive(Debug, Default)]
pub struct ScriptedAuthor {
    script: Mutex<Script>,
}

#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<Result<Draft, DraftError>>,
    asked: Vec<Option<Objection>>,
    settled: Vec<Option<Draft>>,
}

impl ScriptedAuthor {
    /// An author of these answers.
    pub fn new(answers: impl IntoIterator<Item = Result<Draft, DraftError>>) -> Self {
        let script = Script {
            answers: answers.into_iter().collect(),
            ..Script::default()
        };
        Self {
            script: Mutex::new(script),
        }
    }

    /// What it was asked so far: the objection to its last answer, if there was one.
    pub fn asked(&self) -> Vec<Option<Objection>> {
        self.script().asked.clone()
    }

    /// What was settled so far.
    pub fn settled(&self) -> Vec<Option<Draft>> {
        self.script().settled.clone()
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Author for ScriptedAuthor {
    async fn draft(
        &self,
        _brief: &Brief<'_>,
        objection: Option<&Objection>,
    ) -> Result<Draft, DraftError> {
        let mut script = self.script();
        script.asked.push(objection.cloned());
        let nothing = || {
            Err(DraftError::Failed(EnrichError::Retry {
                message: "the author has nothing more to say".to_owned(),
                after: None,
            }))
        };
        script.answers.pop_front().unwrap_or_else(nothing)
    }

    async fn settle(&self, _brief: &Brief<'_>, draft: Option<&Draft>) {
        self.script().settled.push(draft.cloned());
    }
}

/// A craft that makes plain paragraphs of whatever is not clean, hides what [`Secrets`] says, and
/// knows one place.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainCraft;

impl PlainCraft {
    /// Where every city is.
    pub const PLACE: Coordinates = Coordinates {
        latitude: 59.9,
        longitude: 10.7,
    };
}

impl Craft for PlainCraft {
    /// Refuses a description without a letter.
    fn prepare(&self, input: &EnrichmentInput, budget: &Budget) -> Result<Enrichment, Exceeded> {
        let markdown = self.clean(&input.raw_description, budget)?;
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
                redacted_markdown: self.redact(&markdown, input, budget)?,
                markdown,
            },
            coordinates: input.city.is_some().then_some(Self::PLACE),
            verdict,
        })
    }

    fn clean(&self, text: &str, budget: &Budget) -> Result<String, Exceeded> {
        let reading = Reading::of(text, budget)?;
        let has_markup = !(reading.links.is_empty() && reading.images.is_empty());
        let is_clean = !has_markup && reading.html.is_empty() && !text.contains(is_unwanted);
        Ok(if is_clean {
            text.to_owned()
        } else {
            plain(&reading.text)
        })
    }

    fn redact(
        &self,
        markdown: &str,
        input: &EnrichmentInput,
        budget: &Budget,
    ) -> Result<String, Exceeded> {
        let secrets = Secrets::of(input);
        let mut text = self.clean(markdown, budget)?;
        // What is left may join into something else that must not show.
        loop {
            let mut seen = Reading::of(&text, budget)?.text;
            let found = secrets.find(&seen, budget)?;
            if found.is_empty() {
                return Ok(text);
            }
            for secret in found.into_iter().rev() {
                seen.replace_range(secret.range, "[hidden]");
            }
            text = plain(&seen);
        }
    }
}

fn is_unwanted(c: char) -> bool {
    c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A seen text as paragraphs without markup.
fn plain(seen: &str) -> String {
    let paragraphs: Vec<String> = seen
        .split(SEPARATOR)
        .map(|block| {
            let words: Vec<&str> = block.split_whitespace().collect();
            let shown = words.join(" ");
            let mut out = String::with_capacity(shown.len());
            for c in shown.chars().filter(|c| !is_unwanted(*c)) {
                if c.is_ascii_punctuation() {
                    out.push('\\');
                }
                out.push(c);
            }
            out
        })
        .filter(|block| !block.is_empty())
        .collect();
    paragraphs.join("\n\n")
}
