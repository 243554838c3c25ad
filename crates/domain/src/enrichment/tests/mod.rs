//! The way of a posting through enrichment, with rules and a model that do as they are told.

pub(crate) mod doubles;
mod laws;
mod paid;
mod pipeline;

use std::sync::Arc;

use super::{
    Brief, CheckError, Draft, DraftError, EnrichError, EnrichedTexts, Enricher, Enrichment,
    EnrichmentInput, Exceeded, Model, Objection, PhraseKind, Pipeline, ReasonCode, RuleEnricher,
    StopFlag, Verdict,
};
use doubles::{PLACE, PlainRules, ScriptedModel, approval, input, rejection};

/// A description that no rule has anything against.
const SOURCE: &str = "Acmera AS looks for a cook. Write to jobs@acmera.no or see acmera.no.";

/// The plain rules, but for what a test has them do.
#[derive(Clone, Copy, Debug)]
enum Odd {
    /// Their own text breaks a rule.
    Leaking,
    /// A posting takes too much.
    Endless,
    /// What drafts hide takes too much to be found.
    EndlessDrafts,
    /// The flag was set.
    Stopped,
}

impl RuleEnricher for Odd {
    fn prepare(&self, input: &EnrichmentInput, stop: &StopFlag) -> Result<Enrichment, Exceeded> {
        let mut prepared = PlainRules.prepare(input, stop)?;
        match self {
            Self::Endless => return Err(Exceeded::TooComplex),
            Self::Stopped => return Err(Exceeded::Stopped),
            Self::Leaking => prepared.texts.redacted_markdown = SOURCE.to_owned(),
            Self::EndlessDrafts => {}
        }
        Ok(prepared)
    }

    fn complete(
        &self,
        draft: &Draft,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Result<Enrichment, Vec<String>>, Exceeded> {
        match self {
            Self::EndlessDrafts if !draft.hide.is_empty() => Err(Exceeded::TooComplex),
            Self::Leaking => {
                let prepared = self.prepare(input, stop)?;
                let verdict = draft.verdict.clone();
                Ok(Ok(Enrichment {
                    verdict,
                    ..prepared
                }))
            }
            _ => PlainRules.complete(draft, input, stop),
        }
    }

    fn check(
        &self,
        enrichment: &Enrichment,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<(), CheckError> {
        PlainRules.check(enrichment, input, stop)
    }
}

type Answer = Result<Draft, DraftError>;

/// Enriches [`SOURCE`] with a model of these answers, and says what became of it and of him.
fn enrich(
    rules: impl RuleEnricher + 'static,
    answers: impl IntoIterator<Item = Answer>,
) -> (Result<Enrichment, EnrichError>, Arc<ScriptedModel>) {
    enrich_input(rules, answers, &input(SOURCE))
}

fn enrich_input(
    rules: impl RuleEnricher + 'static,
    answers: impl IntoIterator<Item = Answer>,
    input: &EnrichmentInput,
) -> (Result<Enrichment, EnrichError>, Arc<ScriptedModel>) {
    let model = Arc::new(ScriptedModel::new(answers));
    let pipeline = Pipeline::with_model(Arc::new(rules), Arc::clone(&model) as Arc<dyn Model>);
    (block_on(&pipeline, input), model)
}

fn block_on(pipeline: &Pipeline, input: &EnrichmentInput) -> Result<Enrichment, EnrichError> {
    pollster::block_on(pipeline.enrich(input, &StopFlag::default()))
}

/// What the plain rules make of a posting.
fn prepared(input: &EnrichmentInput) -> Enrichment {
    PlainRules.prepare(input, &StopFlag::default()).unwrap()
}

fn unusable(answer: &str, fault: &str) -> DraftError {
    DraftError::Unusable(Objection {
        answer: answer.to_owned(),
        faults: vec![fault.to_owned()],
    })
}

/// A draft that hides what the rules miss.
fn good() -> Draft {
    approval(&[("cook", PhraseKind::Person)])
}

/// A draft at fault.
fn bad() -> Draft {
    approval(&[("Bergen", PhraseKind::Address)])
}
