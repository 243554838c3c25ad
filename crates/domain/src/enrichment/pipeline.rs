//! The way of a posting through enrichment: what rules make of it, what an author makes of that,
//! and what [`super::rules`] let through.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    Author, Brief, Coordinates, Craft, Draft, DraftError, EnrichError, EnrichedTexts, Enricher,
    Enrichment, EnrichmentInput, Objection, Verdict, rules,
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

    /// What is shown of a draft. Redaction is never left to an author, nor is the place. Where
    /// the texts break a rule in spite of that, or a rejection has none, those that rules have
    /// made are shown.
    fn finish(
        &self,
        draft: &Draft,
        prepared: Enrichment,
        input: &EnrichmentInput,
    ) -> Result<Enrichment, EnrichError> {
        let drafted = Enrichment {
            texts: EnrichedTexts {
                markdown: self.craft.clean(&draft.markdown),
                redacted_markdown: self.craft.redact(&draft.redacted_markdown, input),
            },
            coordinates: prepared.coordinates,
            verdict: explained(&draft.verdict),
        };
        if !is_blank(&drafted.texts) && rules::check(&drafted, input).is_ok() {
            return Ok(drafted);
        }
        checked(
            Enrichment {
                texts: prepared.texts,
                ..drafted
            },
            input,
        )
    }
}

#[async_trait]
impl Enricher for Pipeline {
    async fn enrich(&self, input: &EnrichmentInput) -> Result<Enrichment, EnrichError> {
        let prepared = self.craft.prepare(input);
        let (Some(author), Verdict::Approve) = (&self.author, &prepared.verdict) else {
            // What is certain needs nobody's judgement, and costs nothing.
            return checked(prepared, input);
        };
        let brief = Brief {
            input,
            markdown: &prepared.texts.markdown,
        };
        let draft = draft(author.as_ref(), &brief).await;
        author.settle(&brief, draft.as_ref().ok()).await;
        self.finish(&draft?, prepared, input)
    }

    fn unjudged(&self, input: &EnrichmentInput) -> Option<(EnrichedTexts, Option<Coordinates>)> {
        let prepared = checked(self.craft.prepare(input), input).ok()?;
        Some((prepared.texts, prepared.coordinates))
    }
}

/// A draft that the rules have nothing against. An answer of no use is objected to once.
async fn draft(author: &dyn Author, brief: &Brief<'_>) -> Result<Draft, EnrichError> {
    let objection = match answer(author, brief, None).await? {
        Ok(draft) => return Ok(draft),
        Err(objection) => objection,
    };
    let repaired = answer(author, brief, Some(&objection)).await?;
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
) -> Result<Result<Draft, Objection>, EnrichError> {
    let draft = match author.draft(brief, objection).await {
        Ok(draft) => draft,
        Err(DraftError::Unusable(objection)) => return Ok(Err(objection)),
        Err(DraftError::Failed(error)) => return Err(error),
    };
    let faults = rules::faults(&draft, brief.markdown);
    if faults.is_empty() {
        return Ok(Ok(draft));
    }
    Ok(Err(Objection {
        answer: draft.answer,
        faults,
    }))
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

fn checked(enrichment: Enrichment, input: &EnrichmentInput) -> Result<Enrichment, EnrichError> {
    rules::check(&enrichment, input)?;
    Ok(enrichment)
}
