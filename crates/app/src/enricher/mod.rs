//! The enricher that was configured: the pipeline, with the language model if there is one behind
//! [`guarded`], which keeps calls away from an endpoint that is to be left alone.

mod guarded;
mod rules;
mod runtime;

use std::{sync::Arc, time::Duration};

use adapters_llm::{ChatModel, SettingsError};
use domain::enrichment::{DraftCache, Enricher, Model, Pipeline};

pub use self::rules::TextRules;
use self::{guarded::Guarded, runtime::TokioRuntime};
use crate::{
    clock::Clock,
    config::EnricherKind,
    misconfigured::Misconfigured,
    worker::{ModelBreaker, WorkerSettings},
};

/// The time limit of an enrichment in calls of a model: two of its own, and before that two of
/// another worker that holds the reservation.
const CALLS: u32 = 4;
/// Time for a reservation to lapse, and for the rest.
const MARGIN: Duration = Duration::from_mins(1);

/// An enricher that lacks nothing but a store.
pub struct Prepared {
    /// Without one rules decide alone.
    pub model: Option<Arc<dyn Model>>,
    /// How a worker works with it.
    pub settings: WorkerSettings,
}

/// An enricher, and how a worker works with it.
pub struct Enriching {
    pub enricher: Arc<dyn Enricher>,
    /// Open while the enricher is to be left alone.
    pub breaker: Arc<ModelBreaker>,
    pub settings: WorkerSettings,
}

impl Prepared {
    /// Gets ready; nobody is called yet.
    pub fn new(kind: &EnricherKind) -> anyhow::Result<Self> {
        let settings = match kind {
            EnricherKind::Builtin => {
                return Ok(Self {
                    model: None,
                    settings: WorkerSettings::default(),
                });
            }
            EnricherKind::Llm(settings) => settings,
        };
        let model = ChatModel::new(&settings.model).map_err(|error| match error {
            SettingsError::BaseUrl | SettingsError::Key => Misconfigured(error.to_string()).into(),
            SettingsError::Client(_) => anyhow::Error::new(error),
        })?;
        Ok(Self {
            model: Some(Arc::new(model)),
            settings: worker_settings(settings.concurrency, settings.model.timeout),
        })
    }

    /// Says what is counted of it.
    pub fn describe_metrics(&self) {
        if self.model.is_some() {
            adapters_llm::describe_metrics();
        }
    }

    /// The enricher, with the store of drafts.
    pub fn with(self, drafts: Arc<dyn DraftCache>, clock: Clock) -> Enriching {
        let (breaker, rules) = (Arc::new(ModelBreaker::default()), Arc::new(TextRules));
        let pipeline = match self.model {
            None => Pipeline::by_rules(rules),
            Some(model) => {
                let guarded = Guarded::new(model, Arc::clone(&breaker));
                Pipeline::with_model(rules, Arc::new(guarded))
                    .paying_once(drafts, Arc::new(TokioRuntime(clock)))
            }
        };
        Enriching {
            enricher: Arc::new(pipeline),
            breaker,
            settings: self.settings,
        }
    }
}

/// How a worker works with a model: a loop for each call that may be under way. Each records what
/// it paid for at once, so that a process that dies loses no other answer.
pub fn worker_settings(concurrency: usize, timeout: Duration) -> WorkerSettings {
    WorkerSettings {
        enrich_loops: concurrency,
        claim_for_enrichment: 1,
        enrich_at_once: 1,
        enrich_aside: false,
        enrich_within: timeout.saturating_mul(CALLS) + MARGIN,
        ..WorkerSettings::default()
    }
}

#[cfg(test)]
mod tests;
