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

    /// A draft that the rules let through. An answer of no use is objected to once.
    async fn draft(
        &self,
        author: &dyn Author,
        brief: &Brief<'_>,
        prepared: &Enrichment,
    ) -> Result<Draft, EnrichError> {
        let mut objection: Option<Objection> = None;
        loop {
            let draft = author.draft(brief, objection.as_ref()).await;
            let fault = match draft {
                Ok(draft) => match rules::faults(&draft, &prepared.texts.markdown) {
                    faults if faults.is_empty() => return Ok(draft),
                    faults => Objection {
                        answer: draft.answer,
                        faults,
                    },
                },
                Err(DraftError::Unusable(fault)) => fault,
                Err(DraftError::Failed(error)) => return Err(error),
            };
            if objection.is_some() {
                return Err(EnrichError::Permanent(format!(
                    "the answer was of no use, twice: {}",
                    fault.faults.join(" ")
                )));
            }
            objection = Some(fault);
        }
    }

    /// What is shown of a draft. Redaction is never left to an author, and where its texts break
    /// a rule in spite of that, those that rules have made are shown.
    fn finish(&self, draft: &Draft, prepared: Enrichment, input: &EnrichmentInput) -> Enrichment {
        let verdict = match &draft.verdict {
            Verdict::Approve => Verdict::Approve,
            Verdict::Reject { code, text } => Verdict::Reject {
                code: *code,
                text: rules::explanation(*code, text),
            },
        };
        let drafted = Enrichment {
            texts: EnrichedTexts {
                markdown: self.craft.clean(&draft.markdown),
                redacted_markdown: self.craft.redact(&draft.redacted_markdown, input),
            },
            coordinates: prepared.coordinates,
            verdict: verdict.clone(),
        };
        if rules::check(&drafted, input).is_ok() {
            drafted
        } else {
            Enrichment {
                verdict,
                ..prepared
            }
        }
    }
}

#[async_trait]
impl Enricher for Pipeline {
    async fn enrich(&self, input: &EnrichmentInput) -> Result<Enrichment, EnrichError> {
        let prepared = self.craft.prepare(input);
        let enrichment = match (&self.author, &prepared.verdict) {
            (Some(author), Verdict::Approve) => {
                let markdown = prepared.texts.markdown.clone();
                let brief = Brief {
                    input,
                    markdown: &markdown,
                };
                let draft = self.draft(author.as_ref(), &brief, &prepared).await;
                author.settle(&brief, draft.as_ref().ok()).await;
                self.finish(&draft?, prepared, input)
            }
            // What is certain needs nobody's judgement, and costs nothing.
            _ => prepared,
        };
        rules::check(&enrichment, input)?;
        Ok(enrichment)
    }

    fn unjudged(&self, input: &EnrichmentInput) -> Option<(EnrichedTexts, Option<Coordinates>)> {
        let prepared = self.craft.prepare(input);
        rules::check(&prepared, input).ok()?;
        Some((prepared.texts, prepared.coordinates))
    }
}
