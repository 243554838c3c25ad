//! Calls a model only while its circuit breaker allows calls.

use std::sync::Arc;

use async_trait::async_trait;
use enrichment::{Brief, Draft, DraftError, EnrichError, Feedback, Model};

use crate::model_breaker::ModelBreaker;

pub struct BreakerModel {
    model: Arc<dyn Model>,
    breaker: Arc<ModelBreaker>,
}

impl BreakerModel {
    pub fn new(model: Arc<dyn Model>, breaker: Arc<ModelBreaker>) -> Self {
        Self { model, breaker }
    }
}

#[async_trait]
impl Model for BreakerModel {
    fn version(&self) -> &str {
        self.model.version()
    }

    async fn draft(
        &self,
        brief: &Brief<'_>,
        feedback: Option<&Feedback>,
    ) -> Result<Draft, DraftError> {
        // The breaker may have opened since the loop was admitted.
        let call = self
            .breaker
            .begin()
            .map_err(|left| EnrichError::Unavailable {
                message: "the enricher is paused".to_owned(),
                after: Some(left),
            })?;
        let result = self.model.draft(brief, feedback).await;
        match &result {
            Err(DraftError::Failed(error @ EnrichError::Unavailable { after, .. })) => {
                self.breaker.refused(call, &error.to_string(), *after);
            }
            // Even a useless answer shows that the model is reachable.
            _ => self.breaker.answered(call),
        }
        result
    }
}
