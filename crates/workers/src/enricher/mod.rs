//! The enricher. It combines the pipeline, an optional model behind a circuit breaker
//! ([`breaker_model`]), and a cache of paid drafts ([`single_flight`]).

mod breaker_model;
mod single_flight;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use enrichment::{DraftCache, Enricher, Judge, Model, Pipeline};
use runtime::Clock;

use self::{breaker_model::BreakerModel, single_flight::SingleFlight};
use crate::{metrics, model_breaker::ModelBreaker};

pub struct Enriching {
    pub enricher: Arc<dyn Enricher>,
    pub breaker: Arc<ModelBreaker>,
}

pub fn enriching(
    model: Option<Arc<dyn Model>>,
    drafts: &Arc<dyn DraftCache>,
    clock: &Clock,
) -> Enriching {
    let breaker = Arc::new(ModelBreaker::default());
    let judge = model.map(|model| {
        let model = BreakerModel::new(model, Arc::clone(&breaker));
        Arc::new(SingleFlight {
            model: Arc::new(model),
            drafts: Arc::clone(drafts),
            clock: Arc::clone(clock),
        }) as Arc<dyn Judge>
    });
    Enriching {
        enricher: Arc::new(Pipeline::new(judge, metrics::redacted)),
        breaker,
    }
}
