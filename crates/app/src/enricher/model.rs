//! The pipeline with a model, which is given an author of its own for each posting: what it
//! remembers of drafts is about that posting alone.

use std::sync::Arc;

use async_trait::async_trait;
use domain::enrichment::{
    Coordinates, EnrichError, EnrichedTexts, Enricher, Enrichment, EnrichmentInput, Pipeline,
    RuleEnricher, StopFlag,
};

use super::thrifty::{Paid, Thrifty};

/// An enricher with a model.
pub struct WithModel {
    rules: Arc<dyn RuleEnricher>,
    paid: Arc<Paid>,
}

impl WithModel {
    pub fn new(rules: Arc<dyn RuleEnricher>, paid: Paid) -> Self {
        Self {
            rules,
            paid: Arc::new(paid),
        }
    }
}

#[async_trait]
impl Enricher for WithModel {
    async fn enrich(
        &self,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Enrichment, EnrichError> {
        let author = Thrifty::new(Arc::clone(&self.paid));
        Pipeline::with_author(Arc::clone(&self.rules), Arc::new(author))
            .enrich(input, stop)
            .await
    }

    fn unjudged(&self, input: &EnrichmentInput) -> Option<(EnrichedTexts, Option<Coordinates>)> {
        Pipeline::by_rules(Arc::clone(&self.rules)).unjudged(input)
    }
}
