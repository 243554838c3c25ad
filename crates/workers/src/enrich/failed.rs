use std::{sync::Arc, time::Duration};

use domain::{
    posting::Enrichment,
    usecase::{self, GivenUp},
};
use enrichment::{EnrichError, EnrichmentInput};
use kernel::{PostingId, StoreError, outbox::Claimed};

use runtime::decide_again;

use super::{super::tasks::Failure, Enrichments, Failed, failed_to_run};
use crate::metrics;

const CONFLICTS: Duration = Duration::from_secs(2);

impl Enrichments {
    /// Postpones the task, or dead-letters it and changes the posting in one commit. Without a
    /// verdict, no posting is approved. A posting that an operator has judged gets its texts from
    /// the rules. While the store is unavailable, no task is dead-lettered.
    pub(super) async fn settle(&self, task: &Claimed, failed: Failed) -> Result<(), StoreError> {
        let Failed {
            token,
            content,
            input,
            error,
        } = failed;
        let reason = client_reason(&error).to_owned();
        let failure = Failure::from(error);
        if let Some(next_at) = self.tasks.next_attempt(task, &failure) {
            metrics::enrichment_failed();
            self.tasks.put_off(task, &failure, next_at).await;
            return Ok(());
        }
        let given_up = GivenUp {
            token,
            posting: PostingId::new(task.effect.key()),
            content: Some(content),
            made: self.unjudged(input).await,
            reason,
            error: failure.message.clone(),
        };
        self.end(task, &failure, &given_up).await
    }

    pub(super) async fn abandon(&self, task: &Claimed) -> Result<(), StoreError> {
        let failure = Failure::poison();
        let given_up = GivenUp {
            token: task.token,
            posting: PostingId::new(task.effect.key()),
            content: None,
            made: None,
            reason: failure.message.clone(),
            error: failure.message.clone(),
        };
        self.end(task, &failure, &given_up).await
    }

    /// Dead-letters a task, even if the change of its posting cannot be written.
    async fn end(
        &self,
        task: &Claimed,
        failure: &Failure,
        given_up: &GivenUp,
    ) -> Result<(), StoreError> {
        let (store, lifetime) = self.target();
        let attempt = || usecase::give_up(store, given_up, lifetime, self.tasks.now());
        match decide_again(CONFLICTS, attempt).await {
            Ok(true) => failure.log_end(task),
            Ok(false) => return Ok(()),
            Err(error @ (StoreError::Conflict | StoreError::Locked(_) | StoreError::Broken(_))) => {
                let posting = given_up.posting;
                tracing::warn!(%error, %posting, "the change of an unjudged posting was lost");
                self.tasks.dead_letter(task, failure).await;
            }
            Err(error) => return Err(error),
        }
        metrics::enrichment_given_up();
        Ok(())
    }

    /// The enrichment by rules alone, if readers may see it.
    async fn unjudged(&self, input: Arc<EnrichmentInput>) -> Option<Enrichment> {
        let enricher = self.enricher();
        let work = self
            .tasks
            .threads
            .spawn(async move { enricher.unjudged(&input) });
        work.await.unwrap_or_else(|error| {
            tracing::warn!(error = %failed_to_run(error), "the rules returned no texts");
            None
        })
    }
}

/// The part of an error that clients may read. Details of the enricher are left out.
const fn client_reason(error: &EnrichError) -> &str {
    match error {
        EnrichError::Permanent(message) => message.as_str(),
        EnrichError::Retry { .. } | EnrichError::Unavailable { .. } => {
            "no verdict could be had for twelve hours"
        }
    }
}
