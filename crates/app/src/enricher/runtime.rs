//! Implements the runtime port of paid answers.

use std::time::Duration;

use async_trait::async_trait;
use domain::enrichment::{CacheEvent, Runtime};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{clock::Clock, metrics};

/// The Tokio runtime, with this clock.
pub struct TokioRuntime(pub Clock);

#[async_trait]
impl Runtime for TokioRuntime {
    fn now(&self) -> OffsetDateTime {
        (self.0)()
    }

    fn new_id(&self) -> Uuid {
        Uuid::now_v7()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn note(&self, event: CacheEvent) {
        match event {
            CacheEvent::Reused => metrics::draft_reused(),
            CacheEvent::Overtaken => tracing::debug!("another holder was faster with a draft"),
            CacheEvent::NotRenewed(error) => {
                tracing::warn!(%error, "a reservation could not be renewed");
            }
            CacheEvent::NotKept(error) => {
                tracing::warn!(%error, "a draft was not kept, and may be paid for again");
            }
            CacheEvent::NotReleased(error) => {
                tracing::debug!(%error, "content stays reserved until the reservation ends");
            }
        }
    }
}
