//! The enrichment pipeline: preparation by rules, a model's draft, which rules complete, and their
//! final check.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    Brief, CheckError, Draft, DraftCache, DraftError, EnrichError, Enricher, Enrichment,
    EnrichmentInput, Exceeded, Model, Objection, ReasonCode, RuleEnricher, Runtime, StopFlag,
    Verdict, paid::PaidOnce,
};

/// An enricher made of steps. Nothing leaves it that [`RuleEnricher::check`] has not let through.
#[derive(Clone)]
pub struct Pipeline {
    rules: Arc<dyn RuleEnricher>,
    model: Option<Arc<dyn Model>>,
    paid: Option<PaidOnce>,
}

/// A posting that a model is to judge.
struct Case<'a> {
    brief: Brief<'a>,
    input: &'a EnrichmentInput,
    stop: &'a StopFlag,
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

    /// The enrichment by a draft of use: the kept one, or one that is paid for and kept.
    async fn judged(&self, model: &dyn Model, case: &Case<'_>) -> Result<Enrichment, EnrichError> {
        let Some(paid) = &self.paid else {
            let (_, enrichment) = self.asked(model, case, None).await?;
            return Ok(enrichment);
        };
        let mut claim = paid.claim(model.edition(), &case.brief, case.input.posting);
        let objection = match claim.find().await? {
            None => None,
            Some(kept) => match self.complete(kept, case)? {
                Ok((_, enrichment)) => {
                    claim.reused();
                    return Ok(enrichment);
                }
                Err(objection) => Some(objection),
            },
        };
        let asked = self.asked(model, case, objection);
        match claim.holding(asked).await {
            Ok((draft, enrichment)) => {
                claim.keep(&draft).await;
                Ok(enrichment)
            }
            Err(error) => {
                claim.release().await;
                Err(error)
            }
        }
    }

    /// A draft that the rules have nothing against, and the enrichment by it. An answer of no use
    /// is objected to once.
    async fn asked(
        &self,
        model: &dyn Model,
        case: &Case<'_>,
        mut objection: Option<Objection>,
    ) -> Result<(Draft, Enrichment), EnrichError> {
        loop {
            let answer = match model.draft(&case.brief, objection.as_ref()).await {
                Ok(draft) => self.complete(draft, case)?,
                Err(DraftError::Unusable(objection)) => Err(objection),
                Err(DraftError::Failed(error)) => return Err(error),
            };
            match answer {
                Ok(done) => return Ok(done),
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

    /// The enrichment by a draft, or the objection to it. A draft that exceeds the budget is a
    /// faulty answer and no fault of the posting, whose own text was read within it.
    fn complete(
        &self,
        draft: Draft,
        case: &Case<'_>,
    ) -> Result<Result<(Draft, Enrichment), Objection>, EnrichError> {
        let faults = match self.rules.complete(&draft, case.input, case.stop) {
            Ok(Ok(enrichment)) => {
                let verdict = explained(enrichment.verdict);
                let enrichment = Enrichment {
                    verdict,
                    ..enrichment
                };
                return Ok(Ok((draft, enrichment)));
            }
            Ok(Err(faults)) => faults,
            Err(error @ Exceeded::Stopped) => return Err(error.into()),
            Err(Exceeded::TooComplex) => {
                vec!["`hide` takes too long to be looked up. Give fewer texts.".to_owned()]
            }
        };
        Ok(Err(Objection {
            answer: draft.answer,
            faults,
        }))
    }
}

/// A model's verdict, with the explanation of its code.
fn explained(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Approve => Verdict::Approve,
        Verdict::Reject { code, text } => Verdict::Reject {
            code,
            text: code.explained(&text),
        },
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
        let case = Case {
            brief: Brief::of(input, &prepared.texts.markdown),
            input,
            stop,
        };
        let judged = self.judged(model.as_ref(), &case).await?;
        self.checked(judged, input, stop)
    }

    fn unjudged(&self, input: &EnrichmentInput) -> Option<Enrichment> {
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
        is_read.then_some(prepared)
    }
}

/// The outcome of a posting that exceeds the budget: a rejection with the reason for the client,
/// because a retry would exceed it too. Stopped work has no outcome.
fn too_complex(exceeded: Exceeded) -> Result<Enrichment, EnrichError> {
    if exceeded == Exceeded::Stopped {
        return Err(exceeded.into());
    }
    let code = ReasonCode::TooComplex;
    Ok(Enrichment {
        verdict: Verdict::Reject {
            code,
            text: code.sentence().to_owned(),
        },
        ..Enrichment::bare()
    })
}
