//! The way of a posting through enrichment, with a craft and an author who do as they are told.

mod laws;
mod pipeline;

use std::sync::Arc;

use super::{
    Author, Brief, Budget, Craft, Draft, DraftError, EnrichError, EnrichedTexts, Enricher,
    Enrichment, EnrichmentInput, Exceeded, Objection, Pipeline, ReasonCode, StopFlag, Verdict,
    rules,
};
use crate::testing::enrichment::{PlainCraft, ScriptedAuthor, approval, input, rejection};

/// A description that no rule has anything against.
const SOURCE: &str = "Acmera AS looks for a cook. Write to jobs@acmera.no or see acmera.no.";

/// A craft that neither cleans nor hides, but for what it prepares.
#[derive(Clone, Copy)]
struct Careless;

impl Craft for Careless {
    fn prepare(&self, input: &EnrichmentInput, budget: &Budget) -> Result<Enrichment, Exceeded> {
        PlainCraft.prepare(input, budget)
    }

    fn clean(&self, text: &str, _budget: &Budget) -> Result<String, Exceeded> {
        Ok(text.to_owned())
    }

    fn redact(
        &self,
        markdown: &str,
        _input: &EnrichmentInput,
        _budget: &Budget,
    ) -> Result<String, Exceeded> {
        Ok(markdown.to_owned())
    }
}

type Answer = Result<Draft, DraftError>;

/// Enriches [`SOURCE`] with an author of these answers, and says what became of it and of him.
fn enrich(
    craft: impl Craft + 'static,
    answers: impl IntoIterator<Item = Answer>,
) -> (Result<Enrichment, EnrichError>, Arc<ScriptedAuthor>) {
    enrich_input(craft, answers, &input(SOURCE))
}

fn enrich_input(
    craft: impl Craft + 'static,
    answers: impl IntoIterator<Item = Answer>,
    input: &EnrichmentInput,
) -> (Result<Enrichment, EnrichError>, Arc<ScriptedAuthor>) {
    let author = Arc::new(ScriptedAuthor::new(answers));
    let pipeline = Pipeline::with_author(Arc::new(craft), Arc::clone(&author) as Arc<dyn Author>);
    (block_on(&pipeline, input), author)
}

fn block_on(pipeline: &Pipeline, input: &EnrichmentInput) -> Result<Enrichment, EnrichError> {
    pollster::block_on(pipeline.enrich(input, &StopFlag::default()))
}

/// What the plain craft makes of a posting.
fn prepared(input: &EnrichmentInput) -> Enrichment {
    PlainCraft.prepare(input, &Budget::unlimited()).unwrap()
}

fn unusable(answer: &str, fault: &str) -> DraftError {
    DraftError::Unusable(Objection {
        answer: answer.to_owned(),
        faults: vec![fault.to_owned()],
    })
}

/// A draft that is as good as can be.
fn good() -> Draft {
    approval(
        "**Acmera AS** looks for a cook. Write to jobs@acmera.no or see acmera.no.",
        "**[company]** looks for a cook. Write to [email] or see [link].",
    )
}
