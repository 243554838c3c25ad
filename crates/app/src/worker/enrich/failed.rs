//! What becomes of a posting that the enricher had no outcome for.

use std::{sync::Arc, time::Duration};

use domain::{
    enrichment::{Coordinates, EnrichError, EnrichedTexts, EnrichmentInput},
    outbox::{Claimed, Receipt},
    posting::{ContentHash, SourceIdentifier},
    store::StoreError,
    usecase::{self, Unjudged},
};

use super::{super::tasks::Failure, Enrichments};
use crate::{conflicts::decide_again, metrics};

/// How long keeping texts is decided again after conflicts.
const CONFLICTS: Duration = Duration::from_secs(2);

/// An assignment without an outcome.
pub(super) struct Failed {
    pub receipt: Receipt,
    pub posting: SourceIdentifier,
    pub content: ContentHash,
    pub input: Arc<EnrichmentInput>,
    pub error: EnrichError,
}

impl Enrichments {
    /// Puts the task off, or gives it up. Then the posting gets the texts that take no judgement,
    /// and its status stays: nobody is approved unjudged. An error means that the store cannot be
    /// reached, and that the task was not given up.
    pub(super) async fn settle(&self, task: &Claimed, failed: Failed) -> Result<(), StoreError> {
        let Failed {
            posting,
            content,
            input,
            error,
            ..
        } = failed;
        let failure = Failure::from(error);
        if let Some(next_at) = self.tasks.next_attempt(task, &failure) {
            metrics::enrichment_failed();
            self.tasks.put_off(task, &failure, next_at).await;
            return Ok(());
        }
        if let Some((texts, coordinates)) = self.unjudged(input).await {
            let unjudged = Unjudged {
                posting,
                content,
                texts,
                coordinates,
            };
            self.keep_texts(&unjudged).await?;
        }
        metrics::enrichment_given_up();
        self.tasks.give_up(task, &failure).await;
        Ok(())
    }

    /// The texts that take no judgement, if there are any that may be shown.
    async fn unjudged(
        &self,
        input: Arc<EnrichmentInput>,
    ) -> Option<(EnrichedTexts, Option<Coordinates>)> {
        let enricher = Arc::clone(&self.enricher);
        let work = self.threads.spawn(async move { enricher.unjudged(&input) });
        work.await.unwrap_or_else(|error| {
            tracing::warn!(error = %super::failed_to_run(error), "there are no texts to keep");
            None
        })
    }

    async fn keep_texts(&self, unjudged: &Unjudged) -> Result<(), StoreError> {
        let attempt = || usecase::keep_texts(self.store.as_ref(), unjudged, self.tasks.now());
        match decide_again(CONFLICTS, attempt).await {
            // The task tells the operator more than texts that cannot be written.
            Err(error @ (StoreError::Conflict | StoreError::Locked(_) | StoreError::Broken(_))) => {
                tracing::warn!(%error, posting = ?unjudged.posting.as_str(), "texts were not kept");
                Ok(())
            }
            result => result,
        }
    }
}
