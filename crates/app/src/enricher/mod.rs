//! The configured enricher: the pipeline, with an optional language model behind a circuit breaker
//! ([`breaker_model`]) and a cache of what it was paid for ([`single_flight`]).

mod breaker_model;
mod single_flight;

use std::{sync::Arc, time::Duration};

use adapters_llm::{ChatModel, SettingsError};
use enrichment::{DraftCache, Enricher, Judge, Model, Pipeline};

use self::{breaker_model::BreakerModel, single_flight::SingleFlight};
use crate::{
    clock::Clock,
    config::EnricherKind,
    metrics,
    misconfigured::Misconfigured,
    worker::{ModelBreaker, WorkerSettings},
};

/// The time limit of an enrichment, in usual time limits of a model's call: two calls of its own with
/// the longest limit, and before that two of another worker that holds the reservation.
const CALLS: u32 = 4 * adapters_llm::MAX_TIMEOUT_FACTOR;
/// Time for a reservation to lapse, and for other work.
const MARGIN: Duration = Duration::from_mins(1);

/// A configured enricher, still without a store.
pub struct Prepared {
    /// The model; `None` for rules alone.
    pub model: Option<Arc<dyn Model>>,
    /// The settings of its worker.
    pub settings: WorkerSettings,
}

/// An enricher and its worker's settings.
pub struct Enriching {
    pub enricher: Arc<dyn Enricher>,
    /// Open while the enricher must not be called.
    pub breaker: Arc<ModelBreaker>,
    pub settings: WorkerSettings,
}

impl Prepared {
    /// Prepares the enricher, without any call.
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

    /// Describes its metrics.
    pub fn describe_metrics(&self) {
        if self.model.is_some() {
            adapters_llm::describe_metrics();
        }
    }

    /// Adds the store of drafts.
    pub fn with(self, drafts: Arc<dyn DraftCache>, clock: Clock) -> Enriching {
        let breaker = Arc::new(ModelBreaker::default());
        let judge = self.model.map(|model| {
            let model = BreakerModel::new(model, Arc::clone(&breaker));
            Arc::new(SingleFlight {
                model: Arc::new(model),
                drafts,
                clock,
            }) as Arc<dyn Judge>
        });
        Enriching {
            enricher: Arc::new(Pipeline::new(judge, metrics::redacted)),
            breaker,
            settings: self.settings,
        }
    }
}

/// The worker's settings for a model: one loop per concurrent call. Each loop records its paid
/// answer at once, so a process that dies loses only answers in progress.
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
