//! The enrichment pipeline: preparation by rules, a model's draft, and the final check by rules.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    Brief, CheckError, Coordinates, Draft, DraftCache, DraftError, EnrichError, EnrichedTexts,
    Enricher, Enrichment, EnrichmentInput, Exceeded, Model, Objection, ReasonCode, RuleEnricher,
    Runtime, StopFlag, Verdict, paid::PaidOnce,
};

/// An enricher made of steps. Nothing leaves it that [`RuleEnricher::check`] has not let through.
#[derive(Clone)]
pub struct Pipeline {
    rules: Arc<dyn RuleEnricher>,
    model: Option<Arc<dyn Model>>,
    paid: Option<PaidOnce>,
}

impl Pipeline {
    /// By rules alone.
    pub fn by_rules(rules: Arc<dyn RuleEnricher>) -> Self {
        Self {
            rules,
            model: None,
            paid: None,
        }
    }

    /// With a model, which judges every posting that the rules have nothing against.
    pub fn with_model(rules: Arc<dyn RuleEnricher>, model: Arc<dyn Model>) -> Self {
        Self {
            model: Some(model),
            ..Self::by_rules(rules)
        }
    }

    /// The same, with a cache of the drafts that the model was paid for.
    #[must_use]
    pub fn paying_once(self, cache: Arc<dyn DraftCache>, runtime: Arc<dyn Runtime>) -> Self {
        Self {
            paid: Some(PaidOnce::new(cache, runtime)),
            ..self
        }
    }

    /// Prepares a posting by rules alone. Rejects one that exceeds the budget.
    fn prepare(&self, input: &EnrichmentInput, stop: &StopFlag) -> Result<Enrichment, EnrichError> {
        self.rules.prepare(input, stop).or_else(too_complex)
    }

    /// The result of a draft. Redaction and place come from rules, never from a model. The prepared
    /// texts replace the draft's if those break a rule or a rejection has none.
    fn finish(
        &self,
        draft: &Draft,
        prepared: Enrichment,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Enrichment, EnrichError> {
        let verdict = self.explained(&draft.verdict);
        match self.rules.texts(draft, input, stop) {
            Ok(texts) if !is_blank(&texts) => {
                let drafted = Enrichment {
                    texts,
                    coordinates: prepared.coordinates,
                    verdict: verdict.clone(),
                };
                if self.rules.check(&drafted, input, stop).is_ok() {
                    return Ok(drafted);
                }
            }
            Err(error @ Exceeded::Stopped) => return Err(error.into()),
            _ => {}
        }
        let prepared = Enrichment {
            verdict,
            ..prepared
        };
        self.checked(prepared, input, stop)
    }

    fn checked(
        &self,
        enrichment: Enrichment,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Enrichment, EnrichError> {
        match self.rules.check(&enrichment, input, stop) {
            Ok(()) => Ok(enrichment),
            Err(CheckError::Exceeded(exceeded)) => too_complex(exceeded),
            Err(error @ CheckError::Breach(_)) => Err(EnrichError::Permanent(error.to_string())),
        }
    }

    /// A model's verdict, with the explanation of its code.
    fn explained(&self, verdict: &Verdict) -> Verdict {
        match verdict {
            Verdict::Approve => Verdict::Approve,
            Verdict::Reject { code, text } => Verdict::Reject {
                code: *code,
                text: code.explained(&self.rules.detail(text)),
            },
        }
    }

    /// A draft of use: the kept one, or one that is paid for and kept.
    async fn draft(
        &self,
        model: &dyn Model,
        brief: &Brief<'_>,
        stop: &StopFlag,
    ) -> Result<Draft, EnrichError> {
        let Some(paid) = &self.paid else {
            return self.written(model, brief, None, stop).await;
        };
        let mut claim = paid.claim(model.edition(), brief.input);
        let objection = match claim.find().await? {
            None => None,
            Some(kept) => match self.held_against_rules(kept, brief, stop)? {
                Ok(draft) => {
                    claim.reused();
                    return Ok(draft);
                }
                Err(objection) => Some(objection),
            },
        };
        let written = self.written(model, brief, objection, stop);
        let result = claim.holding(written).await;
        match &result {
            Ok(draft) => claim.keep(draft).await,
            Err(_) => claim.release().await,
        }
        result
    }

    /// A draft that the rules have nothing against. An answer of no use is objected to once.
    async fn written(
        &self,
        model: &dyn Model,
        brief: &Brief<'_>,
        mut objection: Option<Objection>,
        stop: &StopFlag,
    ) -> Result<Draft, EnrichError> {
        loop {
            match self.answer(model, brief, objection.as_ref(), stop).await? {
                Ok(draft) => return Ok(draft),
                Err(Objection { faults, .. }) if objection.is_some() => {
                    return Err(EnrichError::Permanent(format!(
                        "the answer was of no use, twice: {}",
                        faults.join(" ")
                    )));
                }
                Err(first) => objection = Some(first),
            }
        }
    }

    /// One answer: a usable draft, or the objection to it.
    async fn answer(
        &self,
        model: &dyn Model,
        brief: &Brief<'_>,
        objection: Option<&Objection>,
        stop: &StopFlag,
    ) -> Result<Result<Draft, Objection>, EnrichError> {
        match model.draft(brief, objection).await {
            Ok(draft) => self.held_against_rules(draft, brief, stop),
            Err(DraftError::Unusable(objection)) => Ok(Err(objection)),
            Err(DraftError::Failed(error)) => Err(error),
        }
    }

    /// Checks a draft. One that exceeds the budget is a faulty answer and no fault of the posting,
    /// whose own text was read within it.
    fn held_against_rules(
        &self,
        draft: Draft,
        brief: &Brief<'_>,
        stop: &StopFlag,
    ) -> Result<Result<Draft, Objection>, EnrichError> {
        let faults = match self.rules.faults(&draft, brief, stop) {
            Ok(faults) if faults.is_empty() => return Ok(Ok(draft)),
            Ok(faults) => faults,
            Err(error @ Exceeded::Stopped) => return Err(error.into()),
            Err(Exceeded::TooComplex) => {
                vec!["The texts are too complex to be read. Use simple Markdown.".to_owned()]
            }
        };
        Ok(Err(Objection {
            answer: draft.answer,
            faults,
        }))
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
        let (Some(model), Verdict::Approve) = (&self.model, &prepared.verdict) else {
            // A certain rejection needs no model, and costs nothing.
            return self.checked(prepared, input, stop);
        };
        let brief = Brief {
            input,
            markdown: &prepared.texts.markdown,
        };
        let draft = self.draft(model.as_ref(), &brief, stop).await?;
        self.finish(&draft, prepared, input, stop)
    }

    fn unjudged(&self, input: &EnrichmentInput) -> Option<(EnrichedTexts, Option<Coordinates>)> {
        let stop = StopFlag::default();
        let prepared = self.prepare(input, &stop).ok()?;
        let prepared = self.checked(prepared, input, &stop).ok()?;
        // A posting that exceeds the budget has no texts.
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

fn is_blank(texts: &EnrichedTexts) -> bool {
    texts.markdown.trim().is_empty() || texts.redacted_markdown.trim().is_empty()
}

/// The outcome of a posting that exceeds the budget: a rejection with the reason for the client,
/// because a retry would exceed it too. Stopped work has no outcome.
fn too_complex(exceeded: Exceeded) -> Result<Enrichment, EnrichError> {
    if exceeded == Exceeded::Stopped {
        return Err(exceeded.into());
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
