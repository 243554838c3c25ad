//! Records assignments that ended without an outcome.

use std::{fmt::Debug, sync::Arc, time::Duration};

use domain::{
    enrichment::{Coordinates, EnrichError, EnrichedTexts, EnrichmentInput},
    outbox::{Claimed, Receipt},
    posting::{ContentHash, PostingId, SourceIdentifier},
    store::StoreError,
    usecase::{self, Unjudged},
};

use super::{super::tasks::Failure, Enrichments};
use crate::{conflicts::decide_again, metrics};

/// The time limit for deciding again after conflicts.
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
    /// Puts the task off, or gives it up. When it is given up, the posting's status stays, because
    /// no posting is approved without a verdict. An unapproved posting gets the texts made by
    /// rules; an approved one keeps the judged texts and its reason says so. After an error the
    /// store has recorded nothing, and the task is not given up.
    pub(super) async fn settle(&self, task: &Claimed, failed: Failed) -> Result<(), StoreError> {
        let Failed {
            posting,
            content,
            input,
            error,
            ..
        } = failed;
        let reason = told(&error).to_owned();
        let failure = Failure::from(error);
        if let Some(next_at) = self.tasks.next_attempt(task, &failure) {
            metrics::enrichment_failed();
            self.tasks.put_off(task, &failure, next_at).await;
            return Ok(());
        }
        let unjudged = Unjudged {
            posting,
            content,
            made: self.unjudged(input).await,
            reason,
        };
        let store = self.store.as_ref();
        let attempt = || usecase::leave_unjudged(store, &unjudged, self.tasks.now());
        written(decide_again(CONFLICTS, attempt).await, &unjudged.posting)?;
        metrics::enrichment_given_up();
        self.tasks.give_up(task, &failure).await;
        Ok(())
    }

    /// Records that a posting got no verdict because its workers died.
    pub(super) async fn abandon(&self, task: &Claimed) -> Result<(), StoreError> {
        let posting = PostingId::new(task.effect.key());
        let failure = Failure::lethal();
        let store = self.store.as_ref();
        let attempt = || usecase::abandon(store, posting, failure.message(), self.tasks.now());
        written(decide_again(CONFLICTS, attempt).await, &posting)?;
        metrics::enrichment_given_up();
        Ok(())
    }

    /// The texts made by rules, if they may be shown.
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
}

/// The part of an error that the client may read: about the posting, without details of the
/// enricher.
const fn told(error: &EnrichError) -> &str {
    match error {
        EnrichError::Permanent(message) => message.as_str(),
        EnrichError::Retry { .. } | EnrichError::Unavailable { .. } => {
            "no verdict could be had for twelve hours"
        }
    }
}

/// Logs a failure to record the posting's state, which must not hide the task's own error.
fn written(result: Result<(), StoreError>, posting: &impl Debug) -> Result<(), StoreError> {
    match result {
        Err(error @ (StoreError::Conflict | StoreError::Locked(_) | StoreError::Broken(_))) => {
            tracing::warn!(%error, ?posting, "the posting does not say that it got no verdict");
            Ok(())
        }
        result => result,
    }
}
