//! A single-flight cache of a model's drafts: all processes together make one call per content.
//!
//! The first process reserves the content and asks the model. The others wait for its draft. If the
//! reservation ends without a draft, another process takes over.

use std::{convert::Infallible, future::pending, sync::Arc, time::Duration};

use async_trait::async_trait;
use enrichment::{
    Case, Draft, DraftCache, DraftKey, EnrichError, Judge, Judged, Model, Reservation,
};
use kernel::{PostingId, StoreError};
use runtime::{Clock, lease::Terms, panics, retry};
use tokio::time::sleep;
use uuid::Uuid;

use crate::metrics;

/// How often a waiting process looks for the holder's draft.
const ASK_EVERY: Duration = Duration::from_millis(500);
/// Waits between attempts to store a draft. A lost draft must be paid again.
const KEEP_AGAIN: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(500)];

pub struct SingleFlight {
    pub model: Arc<dyn Model>,
    pub drafts: Arc<dyn DraftCache>,
    pub clock: Clock,
}

#[async_trait]
impl Judge for SingleFlight {
    async fn judge(&self, case: &Case<'_>) -> Result<Judged, EnrichError> {
        let flight = Flight {
            drafts: &*self.drafts,
            clock: &self.clock,
            key: case.key(&*self.model),
            holder: Uuid::now_v7(),
        };
        // An unreadable draft comes from another version, and is replaced.
        let kept = flight.kept().await?;
        let feedback = match kept.and_then(|json| Draft::from_json(&json)) {
            None => None,
            Some(draft) => match case.complete(&draft, &*self.model)? {
                Ok(judged) => {
                    metrics::draft_reused();
                    return Ok(judged);
                }
                Err(feedback) => Some(feedback),
            },
        };
        let asked = tokio::select! {
            biased;
            asked = case.ask(&*self.model, feedback) => asked,
            never = flight.renew() => match never {},
        };
        match asked {
            Ok((draft, judged)) => {
                metrics::phrases_dropped(case.dropped(&draft).unwrap_or_default());
                flight.keep(&draft, case.posting()).await;
                Ok(judged)
            }
            Err(error) => {
                flight.release().await;
                Err(error)
            }
        }
    }
}

/// A claim to the draft of one content. If the cache panics, a paid draft is still returned.
struct Flight<'a> {
    drafts: &'a dyn DraftCache,
    clock: &'a Clock,
    key: DraftKey,
    holder: Uuid,
}

impl Flight<'_> {
    async fn reserve(&self) -> Result<Reservation, StoreError> {
        let now = (self.clock)();
        let until = now + Terms::STANDARD.length;
        panics::caught(self.drafts.reserve(&self.key, self.holder, until, now)).await
    }

    /// Waits for a stored draft. `None` if this process has reserved the content.
    async fn kept(&self) -> Result<Option<String>, EnrichError> {
        loop {
            match self.reserve().await {
                Ok(Reservation::Kept(draft)) => return Ok(Some(draft)),
                Ok(Reservation::Granted) => return Ok(None),
                Ok(Reservation::Taken) => sleep(ASK_EVERY).await,
                Err(error) => {
                    return Err(EnrichError::Retry {
                        message: format!("drafts cannot be looked up: {error}"),
                        after: None,
                    });
                }
            }
        }
    }

    /// Renews the reservation until dropped, even if another process stores a draft first.
    async fn renew(&self) -> Infallible {
        let renew = async || self.reserve().await.map(|_| true);
        Terms::STANDARD.renew("a draft", renew).await;
        pending().await
    }

    /// Stores a paid draft, and thereby ends the reservation.
    async fn keep(&self, draft: &Draft, of: Option<PostingId>) {
        let kept = retry(
            KEEP_AGAIN.into_iter(),
            |_| true,
            async || {
                let json = draft.to_json();
                let json = json.map_err(|error| StoreError::Broken(error.to_string()))?;
                let now = (self.clock)();
                self.drafts.keep(&self.key, &json, of, now).await
            },
        );
        if let Err(error) = kept.await {
            tracing::warn!(%error, "a draft was not kept, and may be paid for again");
        }
    }

    /// An error is ignored, because the reservation expires anyway.
    async fn release(&self) {
        if let Err(error) = panics::caught(self.drafts.release(&self.key, self.holder)).await {
            tracing::debug!(%error, "content stays reserved until the reservation ends");
        }
    }
}
