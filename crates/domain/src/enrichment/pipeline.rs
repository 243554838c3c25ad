//! The way of a posting through enrichment: what rules make of it, what an author makes of that,
//! and what [`super::rules`] let through.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    Author, Brief, Budget, Coordinates, Craft, Draft, DraftError, EnrichError, EnrichedTexts,
    Enricher, Enrichment, EnrichmentInput, Exceeded, Objection, ReasonCode, StopFlag, Verdict,
    rules::{self, CheckError},
};

/// An enricher made of steps.
#[derive(Clone)]
pub struct Pipeline {
    craft: Arc<dyn Craft>,
    author: Option<Arc<dyn Author>>,
}

impl Pipeline {
    /// By rules alone.
    pub fn by_rules(craft: Arc<dyn Craft>) -> Self {
        Self {
            craft,
            author: None,
        }
    }

    /// With an author, who judges every posting that the rules have nothing against.
    pub fn with_author(craft: Arc<dyn Craft>, author: Arc<dyn Author>) -> Self {
        Self {
            craft,
            author: Some(author),
        }
    }

    /// What rules alone make of a posting; the rejection of one that takes too much.
    fn prepare(&self, input: &EnrichmentInput, stop: &StopFlag) -> Result<Enrichment, EnrichError> {
        let budget = Budget::of(&input.raw_description, stop);
        self.craft.prepare(input, &budget).or_else(too_complex)
    }

    /// What is shown of a draft. Redaction is never left to an author, nor is the place. Where
    /// the texts break a rule in spite of that, or a rejection has none, those that rules have
    /// made are shown.
    fn finish(
        &self,
        draft: &Draft,
        prepared: Enrichment,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Enrichment, EnrichError> {
        let verdict = explained(&draft.verdict);
        match self.drafted(draft, input, stop) {
            Ok(texts) if !is_blank(&texts) => {
                let drafted = Enrichment {
                    texts,
                    coordinates: prepared.coordinates,
                    verdict: verdict.clone(),
                };
                let budget = Budget::of(&input.raw_description, stop);
                if rules::check(&drafted, input, &budget).is_ok() {
                    return Ok(drafted);
                }
            }
            Err(Exceeded::Stopped) => return Err(stopped()),
            _ => {}
        }
        let prepared = Enrichment {
            verdict,
            ..prepared
        };
        checked(prepared, input, stop)
    }

    /// The texts of a draft, cleaned and redacted by rules.
    fn drafted(
        &self,
        draft: &Draft,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<EnrichedTexts, Exceeded> {
        let budget = Budget::of(&input.raw_description, stop);
        let markdown = self.craft.clean(&draft.markdown, &budget)?;
        let redacted_markdown = self
            .craft
            .redact(&draft.redacted_markdown, input, &budget)?;
        Ok(EnrichedTexts {
            markdown,
            redacted_markdown,
        })
    }
}

#[async_trait]
impl Enricher for Pipeline {
    async fn enrich(
        &self,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Enrichment, EnrichError> {
        let prepared = self.prepare(input, stop)?;
        let (Some(author), Verdict::Approve) = (&self.author, &prepared.verdict) else {
            // What is certain needs nobody's judgement, and costs nothing.
            return checked(prepared, input, stop);
        };
        let brief = Brief {
            input,
            markdown: &prepared.texts.markdown,
        };
        let draft = draft(author.as_ref(), &brief, stop).await;
        author.settle(&brief, draft.as_ref().ok()).await;
        self.finish(&draft?, prepared, input, stop)
    }

    fn unjudged(&self, input: &EnrichmentInput) -> Option<(EnrichedTexts, Option<Coordinates>)> {
        let stop = StopFlag::default();
        let prepared = checked(self.prepare(input, &stop).ok()?, input, &stop).ok()?;
        // There are no texts of what takes too much.
        let is_read = !matches!(
            prepared.verdict,
            Verdict::Reject {
                code: ReasonCode::TooComplex,
                ..
            }
        );
        is_read.then_some((prepared.texts, prepared.coordinates))
    }
}

/// A draft that the rules have nothing against. An answer of no use is objected to once.
async fn draft(
    author: &dyn Author,
    brief: &Brief<'_>,
    stop: &StopFlag,
) -> Result<Draft, EnrichError> {
    let objection = match answer(author, brief, None, stop).await? {
        Ok(draft) => return Ok(draft),
        Err(objection) => objection,
    };
    let repaired = answer(author, brief, Some(&objection), stop).await?;
    repaired.map_err(|objection| {
        EnrichError::Permanent(format!(
            "the answer was of no use, twice: {}",
            objection.faults.join(" ")
        ))
    })
}

/// One answer: a draft of use, or what is to be said against it.
async fn answer(
    author: &dyn Author,
    brief: &Brief<'_>,
    objection: Option<&Objection>,
    stop: &StopFlag,
) -> Result<Result<Draft, Objection>, EnrichError> {
    let draft = match author.draft(brief, objection).await {
        Ok(draft) => draft,
        Err(DraftError::Unusable(objection)) => return Ok(Err(objection)),
        Err(DraftError::Failed(error)) => return Err(error),
    };
    let faults = faults(&draft, brief, stop)?;
    if faults.is_empty() {
        return Ok(Ok(draft));
    }
    Ok(Err(Objection {
        answer: draft.answer,
        faults,
    }))
}

/// What is wrong with a draft. One that takes too much to be read is wrong too: that is no fault of
/// the posting, whose own text was read before.
fn faults(draft: &Draft, brief: &Brief<'_>, stop: &StopFlag) -> Result<Vec<String>, EnrichError> {
    let budget = Budget::of(&brief.input.raw_description, stop);
    match rules::faults(draft, brief.markdown, &budget) {
        Ok(faults) => Ok(faults),
        Err(Exceeded::Stopped) => Err(stopped()),
        Err(Exceeded::Steps | Exceeded::Output) => Ok(vec![
            "The texts are too complex to be read. Use simple Markdown.".to_owned(),
        ]),
    }
}

/// An author's verdict, with what the code means.
fn explained(verdict: &Verdict) -> Verdict {
    match verdict {
        Verdict::Approve => Verdict::Approve,
        Verdict::Reject { code, text } => Verdict::Reject {
            code: *code,
            text: rules::explanation(*code, text),
        },
    }
}

fn is_blank(texts: &EnrichedTexts) -> bool {
    texts.markdown.trim().is_empty() || texts.redacted_markdown.trim().is_empty()
}

fn checked(
    enrichment: Enrichment,
    input: &EnrichmentInput,
    stop: &StopFlag,
) -> Result<Enrichment, EnrichError> {
    let budget = Budget::of(&input.raw_description, stop);
    match rules::check(&enrichment, input, &budget) {
        Ok(()) => Ok(enrichment),
        Err(CheckError::Exceeded(exceeded)) => too_complex(exceeded),
        Err(error @ CheckError::Breach(_)) => Err(EnrichError::Permanent(error.to_string())),
    }
}

/// The end of a posting that takes too much: it does so each time, so it is rejected, and the
/// client learns why. A posting whose work was stopped has no outcome.
fn too_complex(exceeded: Exceeded) -> Result<Enrichment, EnrichError> {
    if exceeded == Exceeded::Stopped {
        return Err(stopped());
    }
    let code = ReasonCode::TooComplex;
    Ok(Enrichment {
        texts: EnrichedTexts::default(),
        coordinates: None,
        verdict: Verdict::Reject {
            code,
            text: code.sentence().to_owned(),
        },
    })
}

fn stopped() -> EnrichError {
    EnrichError::Retry {
        message: Exceeded::Stopped.to_string(),
        after: None,
    }
}
